// SPDX-License-Identifier: Apache-2.0
// Counted costs in the model of the tiles that VPs share.
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

namespace stencil_program_test {

using pleat::boundary;

constexpr auto heat = [](const auto& u) {
  return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
};

pleat::cost_trace costs(std::size_t rows, std::size_t columns, std::size_t steps, std::size_t vps,
                        boundary edge, double start = 1) {
  std::vector<double> cells(rows * columns, start);
  pleat::machine counting({.trace = pleat::tracing{}});
  auto report = pleat::stencil(counting, pleat::grid_view<double, 2>(cells.data(), {rows, columns}),
                               steps, heat, {.edges = edge, .vps = vps});
  return *std::move(report.costs);
}

/// n rows, P VPs: bands of at most n/(4P) steps, as equal as they can be.
std::size_t bands(std::size_t rows, std::size_t vps, std::size_t steps) {
  const std::size_t most = rows / (4 * vps);
  return (steps + most - 1) / most;
}

TEST(cost_of_stencil, a_band_takes_two_supersteps_and_the_last_one_another) {
  for (const std::size_t vps : {2, 4, 8}) {
    for (const std::size_t steps : {10, 40, 64, 200}) {
      const auto periodic = costs(256, 8, steps, vps, boundary::periodic);
      EXPECT_EQ(periodic.S(0), 2 * bands(256, vps, steps) + 1) << vps << " VPs, " << steps;
      for (unsigned label = 1; (std::size_t{1} << label) < vps; ++label)
        EXPECT_EQ(periodic.S(label), 0U);
    }
  }
}

TEST(cost_of_stencil, neighbours_exchange_three_cells_a_step_and_column) {
  const std::size_t rows = 256, columns = 8, vps = 4, steps = 64;
  const auto ring = costs(rows, columns, steps, vps, boundary::periodic);
  // Sixteen steps a band: twice 16 rows over, 15 and one beside them back, at the end 15; and first
  // one each way.
  const std::size_t height = rows / (4 * vps);
  const std::size_t count = steps / height;
  const std::size_t expected = columns * (2 + count * 2 * height + count * height - 1);
  EXPECT_EQ(ring.H(2, 0), static_cast<double>(expected));
  EXPECT_LE(ring.H(2, 0), 3.0 * columns * (steps + 1));
}

TEST(cost_of_stencil, bands_of_one_step_exchange_edges_alone) {
  const auto ring = costs(32, 5, 10, 8, boundary::periodic);
  EXPECT_EQ(ring.S(0), 1U + 9U + 1U);
  EXPECT_EQ(ring.H(3, 0), 10.0 * 2 * 5);
}

TEST(cost_of_stencil, it_is_static) {
  EXPECT_FALSE(first_difference(costs(100, 7, 33, 4, boundary::fixed, 1),
                                costs(100, 7, 33, 4, boundary::fixed, -2)));
}

}  // namespace stencil_program_test
