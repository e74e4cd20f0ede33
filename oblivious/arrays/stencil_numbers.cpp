// SPDX-License-Identifier: Apache-2.0
#include "stencil_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/stencil.hpp>

#include "stencil_kernels.hpp"

namespace pleat::arrays {
namespace {

template <class T, std::size_t D> grid_view<T, D> grid_of(const typed_array& array) {
  std::array<std::size_t, D> size{};
  std::ranges::copy(array.shape, size.begin());
  return {array.as<T>().data(), size};
}

template <class T, std::size_t D>
run_report step_numbers(machine& on, stencil_kernel kernel, std::size_t steps,
                        const typed_array& array, const typed_array& before,
                        const stencil_options& options) {
  const grid_view<T, D> grid = grid_of<T, D>(array);
  if (kernel == stencil_kernel::heat) return stencil(on, grid, steps, heat_step<T, D>, options);
  return stencil(on, grid, grid_of<T, D>(before), steps, wave_step<T, D>, options);
}

template <class T>
run_report step_numbers(machine& on, stencil_kernel kernel, std::size_t steps,
                        const typed_array& array, const typed_array& before,
                        const stencil_options& options) {
  switch (array.shape.size()) {
    case 1:
      return step_numbers<T, 1>(on, kernel, steps, array, before, options);
    case 2:
      return step_numbers<T, 2>(on, kernel, steps, array, before, options);
    default:
      return step_numbers<T, 3>(on, kernel, steps, array, before, options);
  }
}

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
  return grid.type.bytes == 4 ? step_numbers<float>(on, kernel, steps, grid, before, options)
                              : step_numbers<double>(on, kernel, steps, grid, before, options);
}

}  // namespace pleat::arrays
