// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_fields_test {

using namespace stencil_tests;

class stencil_fields : public stencil_sweeps {};

/// Gray and Scott's: two fields that react and diffuse.
constexpr auto reaction = [](const auto& u, const auto& v) {
  const auto around = [](const auto& w) { return w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1); };
  const auto both = u(0, 0) * v(0, 0) * v(0, 0);
  return std::tuple(0.2 * u(0, 0) + 0.2 * around(u) - both + 0.03 * (1 - u(0, 0)),
                    static_cast<float>(0.6 * v(0, 0) + 0.1 * around(v) + both - 0.09 * v(0, 0)));
};

TEST_F(stencil_fields, several_fields_of_several_types_go_together) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    for (const std::size_t steps : {1, 10, 25}) {
      const sizes<2> size{60, 70};
      const edges_of<2> edges{edge, edge};
      reference_grid<double, 2> u{size, std::vector<double>(product(size), 1)};
      reference_grid<float, 2> v{size, std::vector<float>(product(size), 0)};
      for (std::size_t i = 1900; i < 2300; i += 3) {
        u.cells[i] = 0.5;
        v.cells[i] = 0.25F;
      }
      auto a = u.cells;
      auto b = v.cells;
      for (std::size_t t = 0; t < steps; ++t) {
        auto next_u = u;
        auto next_v = v;
        for_each_cell<2>(size, edges, [&](const std::array<long, 2>& x) {
          std::tie(next_u.cells[u.place(x)], next_v.cells[u.place(x)]) =
              reaction(reference_cell<double, 2>{&u, &u, edges, x},
                       reference_cell<float, 2>{&v, &v, edges, x});
        });
        u = next_u;
        v = next_v;
      }
      stencil(m,
              std::tuple(grid_view<double, 2>(a.data(), size), grid_view<float, 2>(b.data(), size)),
              steps, reaction, {.edges = edge});
      ASSERT_EQ(a, u.cells) << steps;
      ASSERT_EQ(b, v.cells) << steps;
    }
  }
}

TEST_F(stencil_fields, several_fields_and_callbacks_go_with_one_cell_a_vp_too) {
  pleat::machine m({.processors = 2U});
  const sizes<2> size{8, 8};
  auto start = random_cells<double>(64, 1);
  for (double& u : start) u /= 20;  // so that the reaction does not explode
  const std::vector<float> start_too(64, 0.25F);
  const auto run = [&](std::size_t vps) {
    auto a = start;
    auto b = start_too;
    stencil(m,
            std::tuple(grid_view<double, 2>(a.data(), size), grid_view<float, 2>(b.data(), size)),
            21, reaction, {.every = 5, .after = [&](std::size_t) { a[27] += 0.1; }, .vps = vps});
    return std::tuple(a, b);
  };
  EXPECT_EQ(run(64), run(1));
}

namespace inner = pleat::detail::stencils;

class two_steps : public stencil_sweeps {
 protected:
  pleat::machine machine_{{.processors = 2U}};
};

TEST_F(two_steps, are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges)
    for (std::size_t columns = 190; columns < 222; ++columns)
      expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {9, columns}, {edge, edge}, 4, 1,
                                                  weighted);
}

TEST_F(two_steps, are_the_serial_sweep_for_all_numbers_of_rows_and_steps) {
  for (const boundary edge : all_edges)
    for (const boundary side : all_edges)
      for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 40})
        for (const std::size_t steps : {1, 2, 3, 6, 11})
          for (const std::size_t vps : {1, 2})
            expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {rows, 231}, {edge, side}, steps,
                                                        vps, weighted);
}

TEST_F(two_steps, of_rows_that_are_cut_are_the_serial_sweep) {
  for (const boundary edge : all_edges)
    for (const std::size_t columns : {7000, 7003})
      expect_sweeps_of_all_sets<std::uint64_t, 2>(machine_, {24, columns}, {edge, edge}, 9, 2,
                                                  weighted);
}

/// The levels lie differently to cache lines, and rows of one level too.
TEST_F(two_steps, do_not_mind_where_rows_begin) {
  constexpr std::size_t rows = 12, columns = 240, steps = 7;
  reference_grid<std::uint64_t, 2> expected{{rows, columns},
                                            random_cells<std::uint64_t>(rows * columns, 3)};
  const auto start = expected.cells;
  auto none = expected;
  for (std::size_t t = 0; t < steps; ++t)
    reference_step(expected, none, {boundary::reflecting, boundary::periodic}, weighted);
  for (const auto set : inner::all_instructions())
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const std::size_t stride = columns + 2 + shift % 3;
      std::vector<std::uint64_t> one(rows * stride + 8), other(rows * columns + 8);
      const grid_view<std::uint64_t, 2> a(one.data() + shift, {rows, columns}, {stride, 1}),
          b(other.data() + shift * 5 % 8, {rows, columns});
      for (std::size_t i = 0; i < rows * columns; ++i)
        one[shift + i / columns * stride + i % columns] = start[i];
      inner::run_stencil<false>(
          machine_, std::tuple<inner::field<std::uint64_t, 2>>({{a, b}}), steps, weighted,
          {.edges = {boundary::reflecting, boundary::periodic}, .vps = 1}, set);
      for (std::size_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(one[shift + i / columns * stride + i % columns], expected.cells[i])
            << "cell " << i << ", shift " << shift << ", instruction set " << static_cast<int>(set);
    }
}

}  // namespace stencil_fields_test
