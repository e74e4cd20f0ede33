// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tool/command_line.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

/// Arguments of `run fft`, on one machine and on many, as written.
struct fft_arguments {
  static constexpr const char* help = "Fourier transforms, as numpy.fft's";
  static constexpr const char* output_help = "Where the result goes; may be the input";

  std::string transform = "fft";

  /// `names` are those of the transforms there are.
  void add_to(tool_command& program, const std::string& names);
  /// Text of what was done: "fft of 1000 numbers ('<c16')".
  [[nodiscard]] std::string done(const npy_contents& from) const;
};

}  // namespace pleat::bench
