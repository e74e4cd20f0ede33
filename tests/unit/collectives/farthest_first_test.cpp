// SPDX-License-Identifier: Apache-2.0
// Order in which a root serves the others.
#include "engines/farthest_first.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace farthest_first_test {

using pleat::detail::farthest_first;

std::vector<std::uint32_t> order_of(std::uint32_t size, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  for (farthest_first other(size, root); other; other.next()) order.push_back(other.rank());
  return order;
}

TEST(farthest_first, is_by_the_highest_bit_that_differs_then_by_rank) {
  for (std::uint32_t size = 1; size <= 130; ++size) {
    for (std::uint32_t root = 0; root < size; ++root) {
      std::vector<std::uint32_t> expected(size);
      std::iota(expected.begin(), expected.end(), 0u);
      std::erase(expected, root);
      std::sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
        const int way_of_a = std::bit_width(a ^ root), way_of_b = std::bit_width(b ^ root);
        return way_of_a != way_of_b ? way_of_a > way_of_b : a < b;
      });
      ASSERT_EQ(order_of(size, root), expected) << size << " ranks, root " << root;
    }
  }
}

TEST(farthest_first, begins_across_the_highest_bit_of_the_largest_numbers_of_ranks) {
  farthest_first other(~std::uint32_t{0}, 0);
  EXPECT_TRUE(other);
  EXPECT_EQ(other.rank(), std::uint32_t{1} << 31);
  farthest_first from_the_end(~std::uint32_t{0}, ~std::uint32_t{0} - 1);
  EXPECT_EQ(from_the_end.rank(), 0u);
}

}  // namespace farthest_first_test
