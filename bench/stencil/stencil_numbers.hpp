// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/machine.hpp>

#include "tool/npy.hpp"

namespace pleat::bench {

/// What a step of `pleat run stencil` does to a cell; Σ is the sum of its 2d neighbours.
enum class stencil_kernel {
  heat,  ///< u ← u/2 + Σ/(4d)
  wave,  ///< u ← 2u − u before + (Σ − 2d·u)/(2d), from rest: u before the first step is u
  life,  ///< Conway's game: 0 is dead, anything else alive; 8 neighbours
};

/// What each kernel does, in one line.
[[nodiscard]] std::string stencil_kernel_help();
/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] stencil_kernel parse_stencil_kernel(const std::string& name);
[[nodiscard]] boundary parse_boundary(const std::string& name);
/// Of one to three dimensions; of two for life.
[[nodiscard]] npy_dimensions dimensions_of(stencil_kernel kernel);

/// Throws: pleat::error, with the NumPy call that helps, for cells the kernel does not take.
void check_cells(stencil_kernel kernel, const npy_array& grid, const std::string& name);

/// That many steps, in place. Requires that check_cells found nothing wrong.
run_report step_cells(machine& on, stencil_kernel kernel, boundary edges, std::size_t steps,
                      npy_array& grid);

}  // namespace pleat::bench
