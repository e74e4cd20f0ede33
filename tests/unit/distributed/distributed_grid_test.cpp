// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed_grid.hpp>

#include "on_ranks.hpp"

namespace distributed_grid_test {

template <std::size_t D> using size_of = std::array<std::size_t, D>;

const size_of<3> sizes[] = {{0, 3, 2}, {3, 0, 2}, {4, 3, 5}, {50, 4, 1}};

TEST(distributed_grid, has_the_rows_of_the_balanced_partition_as_zeros) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const auto& size : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed_grid<std::complex<float>, 3> grid(on, size);
        EXPECT_EQ(grid.size(), size);
        EXPECT_EQ(grid.cells(), size[0] * size[1] * size[2]);
        EXPECT_EQ(grid.rank(), on.rank());
        EXPECT_EQ(grid.ranks(), on.ranks());
        EXPECT_EQ(grid.rows(), grid.rows_of(on.rank()));
        std::size_t next = 0;
        for (std::size_t r = 0; r < on.ranks(); ++r) {
          EXPECT_EQ(grid.rows_of(r).first, next);
          EXPECT_LE(grid.rows_of(r).size(), (size[0] + on.ranks() - 1) / on.ranks());
          EXPECT_GE(grid.rows_of(r).size(), size[0] / on.ranks());
          for (; next < grid.rows_of(r).last; ++next) EXPECT_EQ(grid.owner(next), r);
        }
        EXPECT_EQ(next, size[0]);
        const auto slab = grid.local();
        EXPECT_EQ(slab.size, (size_of<3>{grid.rows().size(), size[1], size[2]}));
        EXPECT_EQ(grid.local_span().size(), slab.cells());
        for (const auto& cell : grid.local_span()) ASSERT_EQ(cell, std::complex<float>());
      });
    }
  }
}

TEST(distributed_grid, is_filled_by_indices_of_the_whole_grid_and_gathered) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const auto& size : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed_grid<std::uint64_t, 3> cube(on, size);
        cube.fill(on, [](std::size_t x, std::size_t y, std::size_t z) {
          return 10'000 * x + 100 * y + z;
        });
        pleat::distributed_grid<std::uint16_t, 2> square(on, {size[0], size[1]});
        square.fill(on, [](std::size_t x, std::size_t y) { return 100 * x + y; });
        pleat::distributed_grid<bool, 1> line(on, {size[0]});
        line.fill(on, [](std::size_t x) { return x % 3 == 1; });
        const auto all = cube.gather(on);
        const auto flat = square.gather(on);
        const auto bits = line.gather(on);
        ASSERT_EQ(all.size(), cube.cells());
        ASSERT_EQ(flat.size(), square.cells());
        ASSERT_EQ(bits.size(), size[0]);
        for (std::size_t x = 0; x < size[0]; ++x) {
          EXPECT_EQ(bits[x], x % 3 == 1);
          for (std::size_t y = 0; y < size[1]; ++y) {
            EXPECT_EQ(flat[x * size[1] + y], 100 * x + y);
            for (std::size_t z = 0; z < size[2]; ++z)
              ASSERT_EQ(all[(x * size[1] + y) * size[2] + z], 10'000 * x + 100 * y + z);
          }
        }
        const auto& slab = std::as_const(square).local();
        for (std::size_t x = 0; x < slab.size[0]; ++x)
          for (std::size_t y = 0; y < slab.size[1]; ++y)
            EXPECT_EQ(slab(x, y), 100 * (square.rows().first + x) + y);
      });
    }
  }
}

TEST(distributed_grid, moves) {
  const machine_of_ranks machine({2, 1, 1});
  on_ranks(machine, [](pleat::machine& on) {
    pleat::distributed_grid<int, 2> grid(on, {5, 4});
    pleat::distributed_grid<int, 2> moved(std::move(grid));
    EXPECT_EQ(moved.cells(), 20u);
    EXPECT_EQ(grid.cells(), 0u);  // NOLINT(bugprone-use-after-move): it says so
    EXPECT_EQ(moved.gather(on), std::vector<int>(20));
  });
}

}  // namespace distributed_grid_test
