// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// Kernel: what a step does to a cell; Σ is the sum of its 2d neighbours.
enum class stencil_kernel {
  heat,  ///< u ← u/2 + Σ/(4d)
  wave,  ///< u ← 2u − u before + (Σ − 2d·u)/(2d)
  life,  ///< Conway's game: 0 is dead, anything else alive; 8 neighbours
};
inline constexpr std::array<std::string_view, 3> stencil_kernel_names{"heat", "wave", "life"};
/// Names of the values of enum boundary of pleat/oblivious/grid_view.hpp.
inline constexpr std::array<std::string_view, 3> boundary_names{"fixed", "periodic", "reflecting"};

/// Tells whether the kernel takes such cells. heat and wave: float and double; life: any of one
/// byte.
[[nodiscard]] bool steps_cells(stencil_kernel kernel, const number_type& type) noexcept;

/// Computes that many steps of a grid of one to three dimensions, of two for life, in place.
/// `before`, for wave alone, is the grid one step before, in memory of its own; afterwards that of
/// the last step but one. Requires: steps_cells(kernel, grid.type). Returns and throws as
/// pleat::stencil.
run_report step_cells(machine& on, stencil_kernel kernel, std::size_t steps,
                      const typed_array& grid, const typed_array& before,
                      const stencil_options& options = {});

/// Computes that many steps of a grid of one to three dimensions in place: every cell becomes the
/// sum of itself and its neighbours, each times a weight. `weights` has three numbers in each
/// dimension, in the order of memory. Requires: float or double, in both arrays. Returns and throws
/// as pleat::stencil.
run_report step_weighted_cells(machine& on, const typed_array& weights, std::size_t steps,
                               const typed_array& grid, const stencil_options& options = {});

}  // namespace pleat::arrays
