// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include "checked_cells.hpp"
#include "stencil_arguments.hpp"
#include "tool/numbers.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct stencil_run {
  stencil_arguments asked;
  program_run run;

  void operator()() const {
    const stencil_kernel which = parse_stencil_kernel(asked.kernel);
    const boundary edge = parse_boundary(asked.edges);
    const std::size_t count = parse_count(asked.steps, "--steps");
    auto grid = run.read(0, dimensions_of(which));
    check_cells(which, grid, run.input());
    // Waves begin at rest: one step before, the grid is the same.
    auto before = which == stencil_kernel::wave
                      ? make_npy(grid.descr, grid.type, grid.shape, &run.on())
                      : npy_array{};
    std::ranges::copy(which == stencil_kernel::wave ? grid.bytes() : std::span<std::byte>(),
                      before.bytes().begin());
    run.carry_out("stencil", grid, asked.done(grid), [&](machine& on) {
      return arrays::step_cells(on, which, count, grid.numbers(), before.numbers(),
                                {.edges = edge});
    });
  }
};

}  // namespace

void add_run_stencil(tool_command& command) {
  const auto stencil = std::make_shared<stencil_run>();
  auto program = command.add_subcommand("stencil", stencil_arguments::help);
  stencil->run.add_input(program, stencil_arguments::input_help);
  stencil->asked.add_to(program);
  stencil->run.add_to(program, stencil_arguments::output_help);
  program.footer(R"(Examples:
  pleat run stencil --input plate.npy --output warm.npy --steps 1000
  pleat run stencil --input string.npy --output string.npy --steps 200 --kernel wave
  pleat run stencil --input cells.npy --output cells.npy --steps 1 --kernel life --boundary periodic)");
  program.callback([stencil] { (*stencil)(); });
}

}  // namespace pleat::bench
