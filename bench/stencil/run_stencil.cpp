// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/error.hpp>

#include "arrays/stencil_numbers.hpp"
#include "tool/npy.hpp"
#include "tool/program_run.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using arrays::stencil_kernel;

/// Throws: pleat::usage_error naming those there are.
stencil_kernel parse_stencil_kernel(const std::string& name) {
  return static_cast<stencil_kernel>(place_of(name, "--kernel", arrays::stencil_kernel_names));
}
boundary parse_boundary(const std::string& name) {
  return static_cast<boundary>(place_of(name, "--boundary", arrays::boundary_names));
}
/// Dimensions of the kernel's grids: one to three; two for life.
npy_dimensions dimensions_of(stencil_kernel kernel) {
  if (kernel == stencil_kernel::life) return {2, 2};
  return {1, 3};
}

/// Throws: pleat::error, with the NumPy call that helps, for cells the kernel does not take.
void check_cells(stencil_kernel kernel, const npy_contents& grid, const std::string& name) {
  if (arrays::steps_cells(kernel, grid.type)) return;
  const bool life = kernel == stencil_kernel::life;
  throw error(name + " holds '" + grid.descr + "', which " +
              std::string(arrays::stencil_kernel_names[static_cast<std::size_t>(kernel)]) +
              " does not take; convert it with " +
              numpy_save(name, numpy_load(name) +
                                   (grid.type.kind == number_kind::complex ? ".real" : "") +
                                   (life ? " != 0" : ".astype('f8')")));
}

struct stencil_run {
  std::string steps;
  std::string kernel = "heat";
  std::string edges = "fixed";
  program_run run;

  void operator()() const {
    const stencil_kernel which = parse_stencil_kernel(kernel);
    const boundary edge = parse_boundary(edges);
    const std::size_t count = parse_count(steps, "--steps");
    auto grid = run.read(0, dimensions_of(which));
    check_cells(which, grid, run.input());
    // Waves begin at rest: one step before, the grid is the same.
    auto before = which == stencil_kernel::wave
                      ? make_npy(grid.descr, grid.type, grid.shape, &run.on())
                      : npy_array{};
    std::ranges::copy(which == stencil_kernel::wave ? grid.bytes() : std::span<std::byte>(),
                      before.bytes().begin());
    run.carry_out(
        "stencil", grid,
        steps + " steps of " + kernel + " on " + size_text(grid) + " cells ('" + grid.descr + "')",
        [&](machine& on) {
          return arrays::step_cells(on, which, count, grid.numbers(), before.numbers(),
                                    {.edges = edge});
        });
  }
};

}  // namespace

void add_run_stencil(tool_command& command) {
  const auto stencil = std::make_shared<stencil_run>();
  auto program = command.add_subcommand("stencil", "Steps of a stencil on a grid");
  stencil->run.add_input(
      program, "The grid, of one to three dimensions: f4 or f8; for life of two: u1 or bool");
  program.add_option("--steps", stencil->steps, "How many: 100, 2^10, 1e6")
      .required()
      .type_name("N");
  program.add_option("--kernel", stencil->kernel,
                     "heat (diffusion), wave (from rest), each with the neighbours along the axes; "
                     "life (Conway's game)",
                     "K");
  program.add_option("--boundary", stencil->edges,
                     "fixed (the outermost cells stay), periodic or reflecting", "B");
  stencil->run.add_to(program, "Where the grid goes after the last step; may be the input");
  program.footer(R"(Examples:
  pleat run stencil --input plate.npy --output warm.npy --steps 1000
  pleat run stencil --input string.npy --output string.npy --steps 200 --kernel wave
  pleat run stencil --input cells.npy --output cells.npy --steps 1 --kernel life --boundary periodic)");
  program.callback([stencil] { (*stencil)(); });
}

}  // namespace pleat::bench
