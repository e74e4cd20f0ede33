// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/literal.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

// A run with as many VPs as cells is the program of the model, where the model has one.
namespace pleat::detail::stencils {

/// Is there such a program for this grid? A cube of n cells a side, n a power of two, nothing
/// between its rows, no periodic boundary.
template <class T, std::size_t D>
bool has_model_program(const grid_view<T, D>& grid, const std::array<boundary, D>& edges,
                       std::size_t vps) noexcept {
  const std::size_t n = grid.size[0];
  if (n < 2 || !std::has_single_bit(n) || grid.cells() != vps || D * std::bit_width(n) >= 32)
    return false;
  std::size_t stride = 1;
  for (std::size_t i = D; i-- > 0; stride *= n)
    if (grid.size[i] != n || grid.stride[i] != stride || edges[i] == boundary::periodic)
      return false;
  return true;
}

/// Requires has_model_program, of both grids. `before`: the grid one step earlier if the kernel
/// asks for it. What a VP throws is thrown.
template <bool Two, class T, std::size_t D, class Kernel>
run_report run_model_program(machine& on, const grid_view<T, D>& grid, T* before,
                             const std::array<boundary, D>& edges, std::size_t steps,
                             const Kernel& kernel) {
  std::array<bool, D> fixed{};
  for (std::size_t i = 0; i < D; ++i) fixed[i] = edges[i] == boundary::fixed;
  std::array<offset, D> stride;  // the values around a cell stand row-major, its own in the middle
  for (std::size_t i = D, step = 1; i-- > 0; step *= 3) stride[i] = static_cast<offset>(step);
  const auto update = [&kernel, stride](const T* middle, const T& earlier) {
    return static_cast<T>(kernel(inner_cell<T, D, Two>{middle, &earlier, stride}));
  };
  try {
    return diamonds::run_literal_stencil<D>(
        on, static_cast<unsigned>(std::bit_width(grid.size[0]) - 1),
        static_cast<diamonds::coordinate>(steps), grid.cells(), fixed, update, grid.data, before);
  } catch (const vp_failed& failure) {
    failure.rethrow_cause();
  }
}

}  // namespace pleat::detail::stencils
