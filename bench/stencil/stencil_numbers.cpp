// SPDX-License-Identifier: Apache-2.0
#include "stencil_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"

namespace pleat::bench {
namespace {

constexpr std::array<std::string_view, 3> kernels{"heat", "wave", "life"};
constexpr std::array<std::string_view, 3> boundary_names{"fixed", "periodic", "reflecting"};

/// The sum of a cell's neighbours along the axes.
template <std::size_t D>
constexpr auto around = [](const auto& u) {
  if constexpr (D == 1)
    return u(-1) + u(1);
  else if constexpr (D == 2)
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1);
  else
    return u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) + u(0, 0, -1) + u(0, 0, 1);
};
template <std::size_t D>
constexpr auto centre = [](const auto& u) {
  if constexpr (D == 1)
    return u(0);
  else if constexpr (D == 2)
    return u(0, 0);
  else
    return u(0, 0, 0);
};

template <class T, std::size_t D>
run_report step_numbers(machine& on, stencil_kernel kernel, boundary edges, std::size_t steps,
                        npy_array& array) {
  std::array<std::size_t, D> size{};
  std::ranges::copy(array.shape, size.begin());
  const grid_view<T, D> grid(array.memory.as<T>(array.elements).data(), size);
  if (kernel == stencil_kernel::heat) {
    return stencil(on, grid, steps,
                   [](const auto& u) {
                     return T(0.5) * centre<D>(u) + T(0.25) / static_cast<T>(D) * around<D>(u);
                   },
                   {.edges = edges});
  }
  const big_block rest(array.elements * sizeof(T), on);
  std::ranges::copy(array.bytes(), rest.bytes().begin());
  const grid_view<T, D> before(rest.as<T>(array.elements).data(), size);
  return stencil(on, grid, before, steps,
                 [](const auto& u) {
                   const T sum = around<D>(u);
                   return 2 * centre<D>(u) - u.before() +
                          T(0.5) / static_cast<T>(D) * (sum - static_cast<T>(2 * D) * centre<D>(u));
                 },
                 {.edges = edges});
}

template <class T>
run_report step_numbers(machine& on, stencil_kernel kernel, boundary edges, std::size_t steps,
                        npy_array& array) {
  switch (array.shape.size()) {
    case 1:
      return step_numbers<T, 1>(on, kernel, edges, steps, array);
    case 2:
      return step_numbers<T, 2>(on, kernel, edges, steps, array);
    default:
      return step_numbers<T, 3>(on, kernel, edges, steps, array);
  }
}

run_report step_life(machine& on, boundary edges, std::size_t steps, npy_array& array) {
  const auto cells = array.memory.as<std::uint8_t>(array.elements);
  for (auto& cell : cells) cell = cell != 0 ? 1 : 0;
  return stencil(
      on, grid_view<std::uint8_t, 2>(cells.data(), {array.shape[0], array.shape[1]}), steps,
      [](const auto& u) {
        const auto alive = static_cast<std::uint8_t>(u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) +
                                                     u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1));
        // Three, or two and alive itself.
        return static_cast<std::uint8_t>((alive | u(0, 0)) == 3 ? 1 : 0);
      },
      {.edges = edges});
}

}  // namespace

std::string stencil_kernel_help() {
  return "heat (diffusion), wave (from rest), each with the neighbours along the axes; life "
         "(Conway's game)";
}
stencil_kernel parse_stencil_kernel(const std::string& name) {
  return static_cast<stencil_kernel>(place_of(name, "--kernel", kernels));
}
boundary parse_boundary(const std::string& name) {
  return static_cast<boundary>(place_of(name, "--boundary", boundary_names));
}
npy_dimensions dimensions_of(stencil_kernel kernel) {
  if (kernel == stencil_kernel::life) return {2, 2};
  return {1, 3};
}

void check_cells(stencil_kernel kernel, const npy_array& grid, const std::string& name) {
  const bool life = kernel == stencil_kernel::life;
  const bool fits = life ? grid.type.bytes == 1
                         : grid.type.kind == number_kind::floating &&
                               (grid.type.bytes == 4 || grid.type.bytes == 8);
  if (!fits)
    throw error(name + " holds '" + grid.descr + "', which " +
                std::string(kernels[static_cast<std::size_t>(kernel)]) +
                " does not take; convert it with " +
                numpy_save(name, numpy_load(name) +
                                     (grid.type.kind == number_kind::complex ? ".real" : "") +
                                     (life ? " != 0" : ".astype('f8')")));
}

run_report step_cells(machine& on, stencil_kernel kernel, boundary edges, std::size_t steps,
                      npy_array& grid) {
  if (kernel == stencil_kernel::life) return step_life(on, edges, steps, grid);
  return grid.type.bytes == 4 ? step_numbers<float>(on, kernel, edges, steps, grid)
                              : step_numbers<double>(on, kernel, edges, steps, grid);
}

}  // namespace pleat::bench
