// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"
#include "tool.hpp"

namespace pleat::bench {

void add_run_command(tool_command& tool) {
  auto command = tool.add_subcommand("run", "Run a program on real arrays in NumPy's .npy format");
#define PLEAT_ADDED(problem) add_run_##problem(command);
  PLEAT_RUN_PROBLEMS(PLEAT_ADDED)
#undef PLEAT_ADDED
  command.footer(R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run stencil --input plate.npy --output warm.npy --steps 1000
pleat run PROGRAM --help tells more of each.)");
}

}  // namespace pleat::bench
