// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// Owner of a file descriptor, which it closes; -1 is none.
class file_descriptor {
 public:
  explicit file_descriptor(int fd = -1) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~file_descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

using environment_changes = std::vector<std::pair<std::string, std::string>>;

/// A child that should have said something has not.
class child_silent : public environment_error {
 public:
  using environment_error::environment_error;
};

/// Settings of a program that is started.
struct child_options {
  environment_changes environment = {};  ///< set over this process's own
  /// The child leads a process group of its own: the processes in it end with the child, and get
  /// what it is sent. A terminal sends such a group no signals.
  bool leads = false;
  int errors = STDERR_FILENO;  ///< descriptor that becomes its standard error
};

/// A program that runs beside this one: it is written to, and a line of its standard output is read
/// when wanted.
///
/// If this process is ended by a signal meanwhile, a terminal sends it to both; a child of ours
/// also ends when its parent is gone (end_with_parent).
/// Thread safety: none.
class child_process {
 public:
  /// Throws: pleat::environment_error if the program cannot be started.
  child_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                const child_options& options = {});
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  /// Kills it if it was not waited for.
  ~child_process();

  /// False if it does not listen any more.
  bool write(std::string_view text);
  /// Ends the child's standard input: nothing more will be written.
  void close_input();
  /// The next line without its end; none when there will be no more. What follows the last line end
  /// is a line too.
  [[nodiscard]] std::optional<std::string> read_line();
  /// Limits waits from here on: reading throws child_silent when it has waited that long; at first
  /// it waits for ever.
  void expect_within(std::chrono::milliseconds most) { patience_ = most; }
  /// Reads all of its output that was not read yet.
  [[nodiscard]] std::string read_rest();
  /// Waits for its end: the exit code, or 128 + the signal that ended it.
  int wait();
  /// Ends its standard input and waits for its end; where that takes longer than `patience`, asks
  /// it to end by SIGTERM, and as long after that by SIGKILL.
  int end_within(std::chrono::milliseconds patience);
  /// Number of its process, until it was waited for.
  [[nodiscard]] pid_t id() const { return child_; }

 private:
  bool read_more();
  [[nodiscard]] pid_t target() const { return leads_ ? -child_ : child_; }

  bool leads_;
  pid_t child_ = 0;
  file_descriptor input_, output_;
  std::optional<std::chrono::milliseconds> patience_;
  std::string unread_;
};

struct child_result {
  int exit_code = 0;   ///< 128 + the signal if one ended it
  std::string output;  ///< its standard output
};

/// Runs a program that reads nothing and waits for its end.
/// Throws: pleat::environment_error if the program cannot be started.
[[nodiscard]] child_result run_child(const std::filesystem::path& program,
                                     const std::vector<std::string>& arguments,
                                     const environment_changes& environment = {});

/// Passes SIGINT, SIGTERM and SIGHUP on to the child_process that was started last, as long as it
/// lives: they do not end this process, so that what the child ends with can still be reported. A
/// stop from the terminal (SIGTSTP) stops both. Requires: at most one at a time.
class interruptions_passed_on {
 public:
  interruptions_passed_on();
  interruptions_passed_on(const interruptions_passed_on&) = delete;
  interruptions_passed_on& operator=(const interruptions_passed_on&) = delete;
  ~interruptions_passed_on();

  /// The last of these signals that came; 0 if none did.
  [[nodiscard]] static int signal();
};

/// Asks the kernel, in the child, to end this process by that signal when its parent ends. SIGKILL
/// ends also one that is stopped.
void end_with_parent(int signal = SIGTERM);

/// The file of this program, without symbolic links. Throws: std::filesystem::filesystem_error.
[[nodiscard]] std::filesystem::path this_program();

/// The program of that name which belongs to this one: in the same folder (a build tree) or in
/// ../libexec/pleat (an installation), relative to where this executable really is.
/// Throws: pleat::environment_error naming both places.
[[nodiscard]] std::filesystem::path companion_program(const std::string& name);

}  // namespace pleat::bench
