// SPDX-License-Identifier: Apache-2.0
// Long rows, which are computed in lanes and in windows, with every instruction set there is.
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_lanes_test {

using namespace stencil_tests;
namespace inner = pleat::detail::stencils;

class lanes : public stencil_sweeps {
 protected:
  template <class T, class Kernel>
  void expect_of_all_sets(std::size_t n, boundary edge, std::size_t steps, std::size_t vps,
                          const Kernel& kernel) {
    expect_sweeps_of_all_sets<T, 1>(machine_, {n}, {edge}, steps, vps, kernel);
  }

  pleat::machine machine_{{.processors = 2U}};
};

TEST_F(lanes, are_the_serial_sweep_for_all_types_boundaries_steps_and_vps) {
  const auto same_type = [](const auto& u) {
    using T = std::remove_cvref_t<decltype(u(0))>;
    return static_cast<T>(3 * u(-1) + 5 * u(0) + 7 * u(1));
  };
  for (const boundary edge : all_edges) {
    for (const std::size_t vps : {1, 2, 3}) {
      for (const std::size_t steps : {1, 2, 65, 130}) {
        expect_of_all_sets<double>(9'001, edge, steps, vps, heat1);
        expect_of_all_sets<float>(9'001, edge, steps, vps, heat1);
        expect_of_all_sets<std::uint32_t>(20'011, edge, steps, vps, all1);
        expect_of_all_sets<std::int64_t>(8'192, edge, steps, vps, [](const auto& u) {
          return u(-1) > u(1) ? u(0) / 2 - u(1) / 2 : u(0) / 2 + u(-1) / 4;
        });
        expect_of_all_sets<std::uint16_t>(20'011, edge, steps, vps, same_type);
        expect_of_all_sets<std::uint8_t>(20'011, edge, steps, vps, same_type);
      }
    }
  }
}

TEST_F(lanes, of_fields_of_different_types_have_as_many_cells) {
  constexpr std::size_t n = 12'345, steps = 77;
  const auto kernel = [](const auto& u, const auto& v) {
    return std::tuple(0.5 * u(0) + 0.25 * (u(-1) + u(1)) + v(1), 3 * v(-1) + (u(0) < 40 ? 1 : 2));
  };
  const auto u = random_cells<double>(n, 1);
  const auto v = random_cells<std::uint8_t>(n, 2);
  auto expected_u = u;
  auto expected_v = v;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto earlier_u = expected_u;
    const auto earlier_v = expected_v;
    for (std::size_t i = 1; i + 1 < n; ++i) {
      const auto [a, b] = kernel([&](int d) { return earlier_u[i + static_cast<std::size_t>(d)]; },
                                 [&](int d) { return earlier_v[i + static_cast<std::size_t>(d)]; });
      expected_u[i] = a;
      expected_v[i] = static_cast<std::uint8_t>(b);
    }
  }
  for (const auto set : inner::all_instructions()) {
    auto now_u = u, next_u = u;
    auto now_v = v, next_v = v;
    const auto field = [](auto& now, auto& next) {
      using T = typename std::remove_cvref_t<decltype(now)>::value_type;
      return inner::field<T, 1>{{grid_view<T, 1>(now.data(), {n}), {next.data(), {n}}}};
    };
    inner::run_stencil<false>(machine_, std::tuple(field(now_u, next_u), field(now_v, next_v)),
                              steps, kernel, {.vps = 2}, set);
    EXPECT_EQ(now_u, expected_u) << static_cast<int>(set);
    EXPECT_EQ(now_v, expected_v) << static_cast<int>(set);
  }
}

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

}  // namespace stencil_lanes_test
