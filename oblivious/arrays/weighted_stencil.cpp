// SPDX-License-Identifier: Apache-2.0
#include "weighted_stencil.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <pleat/oblivious/stencil.hpp>

namespace pleat::arrays {
namespace {

constexpr std::size_t power_of_three(std::size_t exponent) {
  return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1);
}

/// The sum of a cell and its neighbours, each times a weight, in the order of memory.
template <class T, std::size_t D> struct weighted_sum {
  std::array<T, power_of_three(D)> weights;

  template <class U> auto operator()(const U& u) const {
    return sum(u, std::make_index_sequence<power_of_three(D)>());
  }

 private:
  // −1, 0 or 1: the digits of i to the base of three.
  static constexpr int digit(std::size_t i, std::size_t place) {
    return static_cast<int>(i / power_of_three(place) % 3) - 1;
  }
  template <std::size_t I, class U> static auto neighbour(const U& u) {
    if constexpr (D == 1)
      return u(digit(I, 0));
    else if constexpr (D == 2)
      return u(digit(I, 1), digit(I, 0));
    else
      return u(digit(I, 2), digit(I, 1), digit(I, 0));
  }
  template <class U, std::size_t... I> auto sum(const U& u, std::index_sequence<I...>) const {
    return (... + (weights[I] * neighbour<I>(u)));
  }
};

template <class T, std::size_t D>
run_report step(machine& on, const typed_array& weights, const typed_array& grid, std::size_t steps,
                const stencil_options& options) {
  weighted_sum<T, D> kernel;
  std::ranges::copy(weights.as<T>(), kernel.weights.begin());
  std::array<std::size_t, D> size{};
  std::ranges::copy(grid.shape, size.begin());
  return pleat::stencil(on, grid_view<T, D>(grid.as<T>().data(), size), steps, kernel, options);
}

template <class T>
run_report step(machine& on, const typed_array& weights, const typed_array& grid, std::size_t steps,
                const stencil_options& options) {
  if (grid.shape.size() == 1) return step<T, 1>(on, weights, grid, steps, options);
  if (grid.shape.size() == 2) return step<T, 2>(on, weights, grid, steps, options);
  return step<T, 3>(on, weights, grid, steps, options);
}

}  // namespace

run_report step_weighted_cells(machine& on, const typed_array& weights, std::size_t steps,
                               const typed_array& grid, const stencil_options& options) {
  return grid.type.bytes == 4 ? step<float>(on, weights, grid, steps, options)
                              : step<double>(on, weights, grid, steps, options);
}

}  // namespace pleat::arrays
