// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>

namespace rectangles_test {

using pleat::detail::rectangle, pleat::detail::distribution::rank_rectangles;

const std::size_t some_ranks[] = {1, 2, 3, 4, 5, 6, 12, 16, 17};

TEST(rectangles, hold_every_element_on_one_rank) {
  for (const std::size_t ranks : some_ranks) {
    for (const std::size_t rows : {0, 1, 2, 7, 16, 40}) {
      for (const std::size_t columns : {0, 1, 3, 16, 61}) {
        const rank_rectangles all(rows, columns, ranks);
        EXPECT_EQ(all.ranks(), ranks);
        std::vector<int> holders(rows * columns);
        for (std::size_t r = 0; r < ranks; ++r) {
          const rectangle mine = all.of(r);
          for (std::size_t i = mine.rows.first; i < mine.rows.last; ++i)
            for (std::size_t j = mine.columns.first; j < mine.columns.last; ++j)
              ++holders[i * columns + j];
        }
        EXPECT_TRUE(std::ranges::all_of(holders, [](int n) { return n == 1; }))
            << rows << " x " << columns << " on " << ranks;
      }
    }
  }
}

TEST(rectangles, have_the_shortest_sides) {
  for (const std::size_t ranks : some_ranks) {
    for (const std::size_t rows : {1, 12, 100, 1600}) {
      for (const std::size_t columns : {1, 12, 100, 1600}) {
        const rank_rectangles all(rows, columns, ranks);
        const auto sides = [&](std::size_t down) {
          return static_cast<double>(rows) / static_cast<double>(down) +
                 static_cast<double>(columns * down) / static_cast<double>(ranks);
        };
        for (std::size_t down = 1; down <= ranks; ++down) {
          if (ranks % down != 0) continue;
          EXPECT_LE(sides(all.down()), sides(down) * (1 + 1e-12));
        }
      }
    }
  }
  EXPECT_EQ(rank_rectangles(1000, 1000, 2).down(), 2U) << "of two alike the one with more rows";
}

}  // namespace rectangles_test
