// SPDX-License-Identifier: Apache-2.0
// Kernels, and a fixture that compares pleat::stencil with the serial sweep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"
#include "unit/stencil/stencil_reference.hpp"

namespace stencil_tests {

using pleat::boundary, pleat::grid_view, pleat::stencil;

// Kernels of every shape; not symmetrical, so that a neighbour taken for another shows.
inline constexpr auto heat1 = [](const auto& u) { return 0.5 * u(0) + 0.3 * u(-1) + 0.2 * u(1); };
inline constexpr auto heat2 = [](const auto& u) {
  return 0.4 * u(0, 0) + 0.1 * u(-1, 0) + 0.2 * u(1, 0) + 0.25 * u(0, -1) + 0.05 * u(0, 1);
};
inline constexpr auto heat3 = [](const auto& u) {
  return 0.4 * u(0, 0, 0) + 0.05 * u(-1, 0, 0) + 0.15 * u(1, 0, 0) + 0.12 * u(0, -1, 0) +
         0.08 * u(0, 1, 0) + 0.11 * u(0, 0, -1) + 0.09 * u(0, 0, 1);
};
/// All neighbours, each with its own weight; integers, which wrap round and forget nothing.
inline constexpr auto all1 = [](const auto& u) {
  return static_cast<std::uint32_t>(3 * u(-1) + 5 * u(0) + 7 * u(1));
};
inline constexpr auto all2 = [](const auto& u) {
  std::uint32_t sum = 0, weight = 1;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) sum += (weight += 2) * u(i, j);
  return sum;
};
inline constexpr auto all3 = [](const auto& u) {
  std::uint32_t sum = 0, weight = 1;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) sum += (weight += 2) * u(i, j, k);
  return sum;
};
/// The nine of a plane, each with its own weight, in the cell's own type.
inline constexpr auto weighted = [](const auto& u) {
  using T = std::remove_cvref_t<decltype(u(0, 0))>;
  return static_cast<T>(u(-1, -1) + 3 * u(-1, 0) + 5 * u(-1, 1) + 7 * u(0, -1) + 9 * u(0, 0) +
                        11 * u(0, 1) + 13 * u(1, -1) + 15 * u(1, 0) + 17 * u(1, 1));
};
inline constexpr auto life = [](const auto& u) {
  const int n = u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1);
  return static_cast<std::uint8_t>(n == 3 || (n == 2 && u(0, 0) != 0));
};
inline constexpr auto wave2 = [](const auto& u) {
  return 2 * u(0, 0) - u.before() +
         0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + 0.5 * u(0, 1) - 3.5 * u(0, 0));
};

template <std::size_t D> std::size_t product(const sizes<D>& size) {
  std::size_t n = 1;
  for (const std::size_t s : size) n *= s;
  return n;
}
template <std::size_t D> pleat::boundaries edges_for(const edges_of<D>& e) {
  if constexpr (D == 1)
    return {e[0]};
  else if constexpr (D == 2)
    return {e[0], e[1]};
  else
    return {e[0], e[1], e[2]};
}
template <std::size_t D> std::string name_of(const sizes<D>& size, const edges_of<D>& edges) {
  std::string name;
  for (std::size_t i = 0; i < D; ++i)
    name += std::to_string(size[i]) + "fpr"[static_cast<int>(edges[i])] + ' ';
  return name;
}

/// Machines whose settings do not depend on the environment.
class stencil_sweeps : public machines {
 protected:
  template <class T, std::size_t D, class Kernel>
  void expect_sweeps(pleat::machine& m, const sizes<D>& size, const edges_of<D>& edges,
                     std::size_t steps, std::optional<std::size_t> vps, const Kernel& kernel) {
    reference_grid<T, D> expected{size,
                                  random_cells<T>(product(size), static_cast<unsigned>(steps))};
    std::vector<T> cells = expected.cells;
    reference_grid<T, D> none = expected;
    for (std::size_t t = 0; t < steps; ++t) reference_step(expected, none, edges, kernel);
    stencil(m, grid_view<T, D>(cells.data(), size), steps, kernel,
            {.edges = edges_for(edges), .vps = vps});
    ASSERT_EQ(cells, expected.cells) << name_of(size, edges) << steps << " steps, "
                                     << vps.value_or(0) << " VPs, " << m.processors() << " workers";
  }

  /// With every instruction set this processor has.
  template <class T, std::size_t D, class Kernel>
  void expect_sweeps_of_all_sets(pleat::machine& m, const sizes<D>& size, const edges_of<D>& edges,
                                 std::size_t steps, std::size_t vps, const Kernel& kernel) {
    namespace inner = pleat::detail::stencils;
    reference_grid<T, D> expected{size,
                                  random_cells<T>(product(size), static_cast<unsigned>(steps))};
    const auto start = expected.cells;
    reference_grid<T, D> none = expected;
    for (std::size_t t = 0; t < steps; ++t) reference_step(expected, none, edges, kernel);
    for (const auto set : inner::all_instructions()) {
      std::vector<T> cells = start, second(start.size());
      const grid_view<T, D> a(cells.data(), size), b(second.data(), size);
      inner::run_stencil<false>(m, std::tuple<inner::field<T, D>>({{a, b}}), steps, kernel,
                                {.edges = edges_for(edges), .vps = vps}, set);
      ASSERT_EQ(cells, expected.cells) << name_of(size, edges) << steps << " steps, " << vps
                                       << " VPs, instruction set " << static_cast<int>(set);
    }
  }

  static constexpr std::array all_edges{boundary::fixed, boundary::periodic, boundary::reflecting};
};

}  // namespace stencil_tests
