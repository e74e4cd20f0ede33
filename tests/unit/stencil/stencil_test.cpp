// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_test {

using namespace stencil_tests;

class stencil_of : public stencil_sweeps {};

TEST_F(stencil_of, one_cell_a_vp_is_computed_in_diamonds) {
  for (const unsigned workers : {1U, 2U, 3U, 6U}) {
    pleat::machine m({.processors = workers});
    for (const std::size_t n : {2, 4, 16, 32})
      for (const std::size_t steps : {1, 2, 16, 17, 33})
        expect_sweeps<std::uint32_t, 1>(m, {n}, {boundary::fixed}, steps, n, all1);
    for (const boundary x : {boundary::fixed, boundary::reflecting}) {
      for (const boundary y : {boundary::fixed, boundary::reflecting}) {
        for (const std::size_t steps : {1, 4, 7})
          expect_sweeps<std::uint32_t, 2>(m, {8, 8}, {x, y}, steps, 64, all2);
        expect_sweeps<std::uint32_t, 3>(m, {4, 4, 4}, {x, y, x}, 5, 64, all3);
      }
    }
    std::vector<double> now = random_cells<double>(64, 3), past = random_cells<double>(64, 4);
    auto expected = now, expected_past = past;
    const auto grid = [](auto& cells) { return grid_view<double, 2>(cells.data(), {8, 8}); };
    stencil(m, grid(expected), grid(expected_past), 9, wave2, {.vps = 1});
    stencil(m, grid(now), grid(past), 9, wave2, {.vps = 64});
    EXPECT_EQ(now, expected);
    EXPECT_EQ(past, expected_past);

    std::vector<float> cells(16, 1);
    const auto fails = [](const auto& u) -> float {
      throw std::domain_error("kernel " + std::to_string(u(0)));
    };
    EXPECT_THROW(stencil(m, cells, 16, fails, {.vps = 16}), std::domain_error);
    const auto keep = [](const auto& u) { return u(0); };
    // Five stages of the row; bands of tiles would be two.
    EXPECT_GT(stencil(m, cells, 16, keep, {.vps = 16}).supersteps.front(), 4u);
  }
}

TEST_F(stencil_of, grids_larger_than_any_part_are_refined_to_the_same_values) {
  pleat::machine m({.processors = 2U});
  for (const boundary edge : all_edges) {
    expect_sweeps<double, 2>(m, {50, 1500}, {edge, edge}, 11, 2, heat2);
    expect_sweeps<float, 2>(m, {12, 30'000}, {edge, edge}, 5, 2, heat2);
    expect_sweeps<double, 3>(m, {30, 40, 50}, {edge, edge, edge}, 7, 2, heat3);
    expect_sweeps<std::uint8_t, 2>(m, {90, 700}, {edge, edge}, 16, 2, life);
  }
}

TEST_F(stencil_of, instruction_sets_are_those_of_the_host_that_this_is_compiled_for) {
  namespace inner = pleat::detail::stencils;
  const auto host = inner::host_instructions();
  const auto compiled = inner::all_instructions();
  ASSERT_FALSE(compiled.empty());
#ifndef PLEAT_STENCILS_WITHOUT_baseline
  EXPECT_EQ(compiled.front(), inner::instructions::baseline);
#endif
  EXPECT_TRUE(std::ranges::includes(host, compiled));
  EXPECT_EQ(inner::chosen_instructions(compiled), compiled.back());
#if defined(__GNUC__) && !defined(__clang__) && !defined(PLEAT_STENCILS_WITHOUT_AVX3)
  EXPECT_EQ(compiled.back(), host.back());
#endif
}

TEST_F(stencil_of, all_kinds_of_grids_step_on_the_default_machine_too) {
  pleat::machine m({.processors = 2U});
  const auto start = random_cells<double>(60, 1), earlier = random_cells<double>(60, 2);
  const auto grid = [](auto& cells) { return grid_view<double, 2>(cells.data(), {6, 10}); };
  const auto keep = [](const auto& u, const auto& v) { return std::tuple(v(0, 1), u(1, 0)); };
  const auto run = [&](auto&&... on) {
    std::vector<std::vector<double>> x(7, start);
    x[6] = earlier;
    stencil(on..., x[0], 9, heat1);
    stencil(on..., grid(x[1]), 9, heat2);
    stencil(on..., pleat::strided_view<double>(x[2].data(), 5, 9, 10), 9, heat2,
            {.edges = boundary::periodic});
    stencil(on..., std::tuple(grid(x[3]), grid(x[4])), 9, keep);
    stencil(on..., grid(x[5]), grid(x[6]), 9, wave2);
    return x;
  };
  EXPECT_EQ(run(), run(m));
}

}  // namespace stencil_test
