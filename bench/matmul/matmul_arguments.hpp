// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/command_line.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

/// Arguments of `run matmul`, on one machine and on many, as written.
struct matmul_arguments {
  static constexpr const char* help = "Multiply two matrices over a semiring";
  static constexpr const char* input_help =
      "Twice: the left matrix, then the right one, in C order";
  static constexpr const char* output_help = "Where the product goes; may be an input";
  /// Text about integers that say "no path".
  static const char* const about_no_path;

  std::string semiring = "plus_times";
  std::optional<std::string> infinity;

  void add_to(tool_command& program);
  /// Throws: pleat::usage_error unless there are two inputs.
  static void check_inputs(const std::vector<std::string>& inputs);
  /// Text of what was done: "multiplied 2 x 3 by 3 x 4 ('<f8') over plus_times".
  [[nodiscard]] std::string done(const npy_contents& a, const npy_contents& b) const;
};

}  // namespace pleat::bench
