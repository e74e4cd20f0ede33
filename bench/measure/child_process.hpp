// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

using environment_changes = std::vector<std::pair<std::string, std::string>>;

/// A child that should have said something has not.
class child_silent : public environment_error {
 public:
  using environment_error::environment_error;
};

/// A program that runs beside this one: it is written to, a line of its standard output is read
/// when wanted, its standard error is passed through. `environment` is set for it over this
/// process's own.
///
/// If this process is ended by a signal meanwhile, a terminal sends it to both; a child of ours
/// also ends when its parent is gone (end_with_parent).
/// Requires: one at a time. Thread safety: none.
class child_process {
 public:
  /// Throws: pleat::environment_error if the program cannot be started.
  child_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                const environment_changes& environment = {});
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

 private:
  bool read_more();

  pid_t child_ = 0;
  int input_ = -1, output_ = -1;
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

/// Passes SIGINT, SIGTERM and SIGHUP on to the child_process there is, as long as it lives: they do
/// not end this process, so that what the child ends with can still be reported. Requires: at most
/// one at a time.
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
