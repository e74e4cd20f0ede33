// SPDX-License-Identifier: Apache-2.0
#include "stencil_arguments.hpp"

namespace pleat::bench {

void stencil_arguments::add_to(tool_command& program) {
  program.add_option("--steps", steps, "How many: 100, 2^10, 1e6").required().type_name("N");
  program
      .add_option("--kernel", kernel,
                  "heat (diffusion), wave (from rest), each with the neighbours along the axes; "
                  "life (Conway's game)")
      .type_name("K")
      .capture_default_str();
  program
      .add_option("--boundary", edges, "fixed (the outermost cells stay), periodic or reflecting")
      .type_name("B")
      .capture_default_str();
}

std::string stencil_arguments::done(const npy_contents& grid) const {
  return steps + " steps of " + kernel + " on " + size_text(grid) + " cells ('" + grid.descr + "')";
}

}  // namespace pleat::bench
