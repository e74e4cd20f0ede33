// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pleat::bench {

/// A file that appears whole or not at all; for the name `-` standard output.
///
/// What is written goes to a temporary file in the target's folder; `commit` makes it durable and
/// gives it the target's name in one step, so readers see the old file or the new one. Without
/// commit, and when a signal ends the process, the temporary file is removed.
///
/// The target may be the file the data came from. A symbolic link is followed: the file behind it
/// is replaced, or made if the link leads to none yet. An existing file's permissions are kept.
///
/// Standard output gets what is written when it is written, and `commit` flushes it. It is data, so
/// it may not be a terminal.
///
/// Throws: pleat::error naming the target and the reason: a folder that does not exist or may not
/// be written, a target that is no regular file, a full disk.
/// Thread safety: one thread at a time per object.
class output_file {
 public:
  explicit output_file(std::filesystem::path target);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  void open_temporary();
  void write_to_stdout(std::span<const std::byte> bytes);
  [[noreturn]] void fail(std::string_view doing, int number) const;

  std::filesystem::path named_;      // as the user wrote it: for messages
  std::filesystem::path target_;     // symbolic links followed
  std::filesystem::path temporary_;  // empty once committed
  int descriptor_ = -1;
  bool to_stdout_ = false;
};

/// The file that a name leads to: absolute, every symbolic link followed, also one to a file that
/// is not there yet. A name that cannot be followed (a loop of links, no permission) is returned as
/// far as it goes.
[[nodiscard]] std::filesystem::path file_behind(const std::filesystem::path& name);

/// The name that stands for standard input or standard output.
inline constexpr std::string_view standard_stream = "-";

enum class file_use {
  read,
  result,  ///< written when all inputs have been read: may take the place of one
  report   ///< written besides: takes nobody's place
};

/// A file that a command was told to use.
struct command_file {
  std::string_view option;  ///< `--output`
  std::string name;
  file_use use;
};

/// Decides whether a command may use these files together. Every command that writes files calls it
/// before it opens any of them.
///
/// Two names are of the same file if they lead to it, through links or folders, whether it is there
/// yet or not.
/// Throws: pleat::usage_error naming both options if a file would be written twice, if a report
/// would replace an input, if two inputs are standard input, and for an empty name.
void check_files(std::span<const command_file> files);

}  // namespace pleat::bench
