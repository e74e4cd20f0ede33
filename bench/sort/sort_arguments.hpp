// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tool/command_line.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

/// Arguments of `run sort`, on one machine and on many.
struct sort_arguments {
  static constexpr const char* help = "Sort a one-dimensional array in NumPy's order";
  static constexpr const char* input_help = "The array: any numeric dtype";
  static constexpr const char* output_help = "Where the result goes; may be the input";

  bool indices = false;  ///< instead of the elements

  void add_to(tool_command& program);
  /// Text of what was done with the array: "sorted 3 elements ('<f8')".
  [[nodiscard]] std::string done(const npy_contents& array) const;
};

/// Type of indices in a file.
inline constexpr const char* indices_descr = "<i8";
inline constexpr number_type indices_type{number_kind::signed_integer, 8};

}  // namespace pleat::bench
