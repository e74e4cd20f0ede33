// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pleat::bench {

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
