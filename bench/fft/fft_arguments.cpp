// SPDX-License-Identifier: Apache-2.0
#include "fft_arguments.hpp"

namespace pleat::bench {

void fft_arguments::add_to(tool_command& program, const std::string& names) {
  program
      .add_option("--transform", transform,
                  names + ": of a whole matrix if it ends in 2, else of each row")
      .type_name("T")
      .capture_default_str();
}

std::string fft_arguments::done(const npy_contents& from) const {
  return transform + " of " + size_text(from) + " numbers ('" + from.descr + "')";
}

}  // namespace pleat::bench
