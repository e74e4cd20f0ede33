// SPDX-License-Identifier: Apache-2.0
// Rows of planes and boxes, which are computed from vectors that lie beside each other, with every
// instruction set this processor has.
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_windows_test {

using namespace stencil_tests;
namespace inner = pleat::detail::stencils;

class windows : public stencil_sweeps {
 protected:
  pleat::machine machine_{{.processors = 2U}};
};

TEST_F(windows, of_planes_are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges) {
    for (const std::size_t columns :
         {8, 16, 17, 18, 23, 24, 25, 26, 31, 33, 34, 63, 64, 65, 127, 130, 131, 258, 300}) {
      expect_sweeps_of_all_sets<double, 2>(machine_, {9, columns}, {edge, edge}, 3, 1, heat2);
      expect_sweeps_of_all_sets<float, 2>(machine_, {10, columns}, {edge, edge}, 3, 2, heat2);
      expect_sweeps_of_all_sets<std::uint32_t, 2>(machine_, {7, columns}, {edge, edge}, 3, 1, all2);
      expect_sweeps_of_all_sets<std::int64_t, 2>(machine_, {7, columns}, {edge, edge}, 3, 1,
                                                 weighted);
      expect_sweeps_of_all_sets<std::uint16_t, 2>(machine_, {6, columns}, {edge, edge}, 3, 1,
                                                  weighted);
      expect_sweeps_of_all_sets<std::uint8_t, 2>(machine_, {6, columns}, {edge, edge}, 3, 1,
                                                 weighted);
    }
  }
}

TEST_F(windows, of_boxes_are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges) {
    for (const std::size_t columns : {17, 18, 26, 33, 34, 65, 130}) {
      expect_sweeps_of_all_sets<double, 3>(machine_, {5, 6, columns}, {edge, edge, edge}, 3, 2,
                                           heat3);
      expect_sweeps_of_all_sets<std::uint32_t, 3>(machine_, {4, 5, columns}, {edge, edge, edge}, 3,
                                                  1, all3);
    }
  }
}

TEST_F(windows, of_fields_of_different_types_have_as_many_cells) {
  constexpr std::size_t rows = 20, columns = 141, steps = 9;
  const auto kernel = [](const auto& u, const auto& v) {
    return std::tuple(0.5 * u(0, 0) + 0.25 * (u(-1, 0) + u(0, 1)) + v(1, 1),
                      3 * v(0, -1) + (u(1, 0) < 10 ? 1 : 2));
  };
  const auto u = random_cells<double>(rows * columns, 1);
  const auto v = random_cells<std::uint8_t>(rows * columns, 2);
  auto expected_u = u;
  auto expected_v = v;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto earlier_u = expected_u;
    const auto earlier_v = expected_v;
    for (std::size_t i = 1; i + 1 < rows; ++i) {
      for (std::size_t j = 1; j + 1 < columns; ++j) {
        const auto cell_of = [i, j](const auto& cells) {
          return [&cells, i, j](int dx, int dy) {
            return cells[(i + static_cast<std::size_t>(dx)) * columns + j +
                         static_cast<std::size_t>(dy)];
          };
        };
        const auto [a, b] = kernel(cell_of(earlier_u), cell_of(earlier_v));
        expected_u[i * columns + j] = a;
        expected_v[i * columns + j] = static_cast<std::uint8_t>(b);
      }
    }
  }
  for (const auto set : inner::all_instructions()) {
    auto now_u = u, next_u = u;
    auto now_v = v, next_v = v;
    const auto field = [](auto& now, auto& next) {
      using T = typename std::remove_cvref_t<decltype(now)>::value_type;
      return inner::field<T, 2>{
          {grid_view<T, 2>(now.data(), {rows, columns}), {next.data(), {rows, columns}}}};
    };
    inner::run_stencil<false>(machine_, std::tuple(field(now_u, next_u), field(now_v, next_v)),
                              steps, kernel, {.vps = 2}, set);
    EXPECT_EQ(now_u, expected_u) << static_cast<int>(set);
    EXPECT_EQ(now_v, expected_v) << static_cast<int>(set);
  }
}

}  // namespace stencil_windows_test
