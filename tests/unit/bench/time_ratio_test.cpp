// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "measure/statistics.hpp"
#include "measure/verdict.hpp"

namespace time_ratio_test {

using pleat::bench::rank_of_shift, pleat::bench::ratio_of_times;

using samples = std::vector<double>;

samples all_ratios(const samples& before, const samples& after) {
  samples ratios;
  for (const double b : before)
    for (const double a : after) ratios.push_back(a / b);
  std::ranges::sort(ratios);
  return ratios;
}

samples noisy(std::size_t count, double about, std::mt19937& random) {
  std::lognormal_distribution<double> noise(0, 0.1);
  samples times(count);
  for (double& t : times) t = about * noise(random);
  return times;
}

TEST(time_ratio, is_the_median_of_the_ratios_of_all_pairs) {
  std::mt19937 random(1);
  for (const auto& [m, n] : {std::pair{1, 1}, {2, 1}, {4, 6}, {9, 9}, {31, 40}}) {
    const auto before = noisy(m, 1e-3, random);
    const auto after = noisy(n, 2e-3, random);
    const auto ratios = all_ratios(before, after);
    const double median = (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
    EXPECT_DOUBLE_EQ(ratio_of_times(before, after).value, median);
  }
}

TEST(time_ratio, its_interval_leaves_out_as_many_pairs_as_the_test_says) {
  std::mt19937 random(2);
  const auto before = noisy(12, 0.5, random);
  const auto after = noisy(15, 0.6, random);
  const auto ratios = all_ratios(before, after);
  const auto rank = rank_of_shift(12, 15, 0.95);
  const auto found = ratio_of_times(before, after).range.value();
  EXPECT_EQ(found.low, ratios[rank - 1]);
  EXPECT_EQ(found.high, ratios[ratios.size() - rank]);
}

TEST(time_ratio, its_interval_contains_the_true_ratio_as_often_as_it_says) {
  std::mt19937 random(3);
  int covered = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto found = ratio_of_times(noisy(10, 1, random), noisy(10, 1.25, random)).range.value();
    covered += found.low <= 1.25 && 1.25 <= found.high;
  }
  EXPECT_GE(covered, 935);  // 95 % less two standard deviations
}

TEST(time_ratio, has_no_interval_with_too_few_samples) {
  EXPECT_FALSE(ratio_of_times(samples{1, 2, 3}, samples{1, 2, 3}).range);
  EXPECT_TRUE(ratio_of_times(samples{1, 2, 3, 4}, samples{1, 2, 3, 4}).range);
}

using pleat::bench::interval, pleat::bench::median_interval;

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

}  // namespace time_ratio_test
