// SPDX-License-Identifier: Apache-2.0
// Distributed grids on the ranks of MPI. What depends on sizes, dimensions and boundaries is tested
// without MPI, in tests/unit/distributed.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/stencil.hpp>

#include "over_all_ranks.hpp"

namespace grids_over_ranks_test {

double start_of(std::size_t x, std::size_t y) {
  return static_cast<double>((x * 7919 + y * 104'729) % 10'007) / 1013;
}

double next_of(double here, double up, double down, double left, double right) {
  return 0.5 * here + 0.2 * up + 0.1 * down + 0.15 * left + 0.05 * right;
}
const auto heat = [](const auto& u) {
  return next_of(u(0, 0), u(-1, 0), u(1, 0), u(0, -1), u(0, 1));
};

/// Every cell of every step, out of place.
std::vector<double> swept(std::size_t rows, std::size_t columns, std::size_t steps, bool ring) {
  std::vector<double> now(rows * columns);
  for (std::size_t x = 0; x < rows; ++x)
    for (std::size_t y = 0; y < columns; ++y) now[x * columns + y] = start_of(x, y);
  for (std::size_t s = 0; s < steps; ++s) {
    std::vector<double> next = now;
    for (std::size_t x = 0; x < rows; ++x) {
      for (std::size_t y = 1; y + 1 < columns; ++y) {
        if (!ring && (x == 0 || x + 1 == rows)) continue;
        const std::size_t up = (x + rows - 1) % rows, down = (x + 1) % rows;
        next[x * columns + y] =
            next_of(now[x * columns + y], now[up * columns + y], now[down * columns + y],
                    now[x * columns + y - 1], now[x * columns + y + 1]);
      }
    }
    now = next;
  }
  return now;
}

TEST(grids_over_ranks, are_stepped_as_by_serial_sweeps) {
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine(over_all_ranks(workers));
    for (const std::size_t rows : {1, 2, 50, 400}) {
      for (const bool ring : {false, true}) {
        const std::size_t columns = 37, steps = 40;
        pleat::distributed_grid<double, 2> plate(machine, {rows, columns});
        plate.fill(machine, start_of);
        pleat::stencil(machine, plate, steps, heat,
                       {.edges = {ring ? pleat::boundary::periodic : pleat::boundary::fixed,
                                  pleat::boundary::fixed},
                        .vps = machine.threads()});
        const std::vector<double> all = plate.gather(machine);
        const std::vector<double> expected = swept(rows, columns, steps, ring);
        ASSERT_EQ(all.size(), expected.size());
        for (std::size_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(all[i], expected[i]) << rows << " rows, cell " << i;
      }
    }
  }
}

}  // namespace grids_over_ranks_test
