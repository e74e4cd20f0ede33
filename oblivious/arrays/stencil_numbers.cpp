// SPDX-License-Identifier: Apache-2.0
#include "stencil_numbers.hpp"

#include <cstdint>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/stencil.hpp>

#include "stencil_kernels.hpp"

namespace pleat::arrays {
namespace {

run_report step_life(machine& on, std::size_t steps, const typed_array& array,
                     const stencil_options& options) {
  // The cells are changed before the library sees what is asked for.
  static_cast<void>(detail::choose_vps("stencil", options.vps, 1, 1));
  static_cast<void>(detail::stencils::check_options<2>(options));
  for (auto& cell : array.as<std::uint8_t>()) cell = cell != 0 ? 1 : 0;
  return stencil(on, grid_of<std::uint8_t, 2>(array), steps, life_step, options);
}

}  // namespace

bool steps_cells(stencil_kernel kernel, const number_type& type) noexcept {
  if (kernel == stencil_kernel::life) return type.bytes == 1;
  return type.kind == number_kind::floating && (type.bytes == 4 || type.bytes == 8);
}

run_report step_cells(machine& on, stencil_kernel kernel, std::size_t steps,
                      const typed_array& grid, const typed_array& before,
                      const stencil_options& options) {
  if (kernel == stencil_kernel::life) return step_life(on, steps, grid, options);
  return with_cells(grid.type, grid.shape.size(), [&]<class T, std::size_t D>() {
    const auto cells = grid_of<T, D>(grid);
    if (kernel == stencil_kernel::heat) return stencil(on, cells, steps, heat_step<T, D>, options);
    return stencil(on, cells, grid_of<T, D>(before), steps, wave_step<T, D>, options);
  });
}

}  // namespace pleat::arrays
