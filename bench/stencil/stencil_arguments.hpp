// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tool/command_line.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

/// Arguments of `run stencil`, on one machine and on many, as written.
struct stencil_arguments {
  static constexpr const char* help = "Steps of a stencil on a grid";
  static constexpr const char* input_help =
      "The grid, of one to three dimensions: f4 or f8; for life of two: u1 or bool";
  static constexpr const char* output_help =
      "Where the grid goes after the last step; may be the input";

  std::string steps;
  std::string kernel = "heat";
  std::string edges = "fixed";

  void add_to(tool_command& program);
  /// Text of what was done: "10 steps of heat on 3 x 4 cells ('<f8')".
  [[nodiscard]] std::string done(const npy_contents& grid) const;
};

}  // namespace pleat::bench
