// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "measure/statistics.hpp"

namespace median_interval_test {

using pleat::bench::interval;
using pleat::bench::median_interval;

std::vector<double> one_to(std::size_t m) {
  std::vector<double> samples(m);
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

// The share of the 2^m ways in which m samples can lie above or below the median for which the
// `rank`-th smallest is not above and the `rank`-th largest not below it: counted one by one.
double coverage(unsigned m, unsigned rank) {
  std::uint64_t covered = 0;
  for (std::uint64_t below = 0; below < (std::uint64_t{1} << m); ++below) {
    const auto count = static_cast<unsigned>(std::popcount(below));
    if (count >= rank && m - count >= rank) ++covered;
  }
  return static_cast<double>(covered) / static_cast<double>(std::uint64_t{1} << m);
}

TEST(median_interval, is_the_narrowest_that_covers_the_median_often_enough) {
  for (const double confidence : {0.8, 0.95, 0.99}) {
    for (unsigned m = 1; m <= 18; ++m) {
      unsigned rank = 0;
      while (2 * (rank + 1) <= m && coverage(m, rank + 1) >= confidence) ++rank;
      const auto found = median_interval(one_to(m), confidence);
      ASSERT_EQ(found.has_value(), rank > 0) << m;
      if (!found) continue;
      EXPECT_EQ(found->low, rank) << m;
      EXPECT_EQ(found->high, m + 1 - rank) << m;
    }
  }
}

// Published tables of the order statistics for 95 %.
TEST(median_interval, agrees_with_published_tables) {
  const auto at = [](std::size_t m) { return median_interval(one_to(m)).value(); };
  EXPECT_EQ(at(6).low, 1);
  EXPECT_EQ(at(10).low, 2);
  EXPECT_EQ(at(10).high, 9);
  EXPECT_EQ(at(20).low, 6);
  EXPECT_EQ(at(20).high, 15);
  EXPECT_EQ(at(50).low, 18);
  EXPECT_EQ(at(50).high, 33);
  EXPECT_EQ(at(100).low, 40);
  EXPECT_EQ(at(100).high, 61);
}

TEST(median_interval, does_not_exist_for_too_few_samples) {
  EXPECT_FALSE(median_interval({}));
  EXPECT_FALSE(median_interval(one_to(5)));
  EXPECT_TRUE(median_interval(one_to(6)));
  EXPECT_FALSE(median_interval(one_to(7), 0.99));
  EXPECT_TRUE(median_interval(one_to(8), 0.99));
}

}  // namespace median_interval_test
