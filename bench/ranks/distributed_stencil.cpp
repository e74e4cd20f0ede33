// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "distributed_run.hpp"
#include "stencil/checked_cells.hpp"
#include "stencil/stencil_arguments.hpp"
#include "tool/numbers.hpp"

namespace pleat::bench {
namespace {

struct distributed_stencil {
  stencil_arguments asked;
  distributed_arguments files;

  void operator()(const rank_group& all) const {
    // All ranks have the same words, so they throw the same.
    const stencil_kernel which = parse_stencil_kernel(asked.kernel);
    const boundary edge = parse_boundary(asked.edges);
    const std::size_t count = parse_count(asked.steps, "--steps");
    distributed_run run(all, files, dimensions_of(which));
    const npy_contents& grid = run.input();
    check_cells(which, grid, files.input());
    run.begin(grid.descr, grid.type, grid.shape);
    arrays::step_distributed_cells(run.on(), which, count, grid.type, grid.shape, run.reader(),
                                   run.writer(), {.edges = edge});
    run.finish(asked.done(grid));
  }
};

}  // namespace

void add_distributed_stencil(tool_command& command, chosen_run& chosen) {
  const auto stencil = std::make_shared<distributed_stencil>();
  auto program = command.add_subcommand("stencil", stencil_arguments::help);
  stencil->files.add_input(program, stencil_arguments::input_help);
  stencil->files.add_to(program, stencil_arguments::output_help);
  stencil->asked.add_to(program);
  program.callback([stencil, &chosen] { chosen = *stencil; });
}

}  // namespace pleat::bench
