// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include <pleat/oblivious/stencil.hpp>

#include "stencil_kernels.hpp"
#include "stencil_numbers.hpp"

namespace pleat::arrays {
namespace {

constexpr std::size_t power_of_three(std::size_t exponent) {
  return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1);
}

/// Kernel: weighted sum of a cell and its neighbours, added in the order of memory.
template <class T, std::size_t D> struct weighted_sum {
  std::array<T, power_of_three(D)> weights;

  template <class U> auto operator()(const U& u) const {
    return sum(u, std::make_index_sequence<power_of_three(D)>());
  }

 private:
  // Offset −1, 0 or 1: a digit of i in base three, minus one.
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

}  // namespace

run_report step_weighted_cells(machine& on, const typed_array& weights, std::size_t steps,
                               const typed_array& grid, const stencil_options& options) {
  return with_cells(grid.type, grid.shape.size(), [&]<class T, std::size_t D>() {
    weighted_sum<T, D> kernel;
    std::ranges::copy(weights.as<T>(), kernel.weights.begin());
    return pleat::stencil(on, grid_of<T, D>(grid), steps, kernel, options);
  });
}

}  // namespace pleat::arrays
