// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "measure/verdict.hpp"

namespace rank_sum_test {

using pleat::bench::compare_ranks, pleat::bench::most_samples_for_exact_ranks;
using pleat::bench::rank_of_shift;

using samples = std::vector<double>;

double pairs_above(std::span<const double> before, std::span<const double> after) {
  double u = 0;
  for (const double b : before)
    for (const double a : after) u += a > b ? 1 : a == b ? 0.5 : 0;
  return u;
}

struct tails {
  double larger;
  double smaller;
};

// All ways to say which of the samples are `after`, one by one.
tails enumerated(const samples& before, const samples& after) {
  samples all(before);
  all.insert(all.end(), after.begin(), after.end());
  const double seen = pairs_above(before, after);
  double ways = 0, larger = 0, smaller = 0;
  for (std::uint32_t chosen = 0; chosen < (1U << all.size()); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) != after.size()) continue;
    samples first, second;
    for (std::size_t i = 0; i < all.size(); ++i)
      ((chosen >> i & 1) ? second : first).push_back(all[i]);
    const double u = pairs_above(first, second);
    ++ways;
    larger += u >= seen;
    smaller += u <= seen;
  }
  return {larger / ways, smaller / ways};
}

TEST(rank_sum, of_few_samples_is_exact_with_ties) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    samples before(5), after(6);
    for (double& x : before) x = static_cast<double>(random() % 4);
    for (double& x : after) x = static_cast<double>(random() % 5);
    const auto found = compare_ranks(before, after);
    const auto expected = enumerated(before, after);
    EXPECT_DOUBLE_EQ(found.u, pairs_above(before, after));
    EXPECT_NEAR(found.p_larger, expected.larger, 1e-12);
    EXPECT_NEAR(found.p_smaller, expected.smaller, 1e-12);
  }
}

// Numbers of the orders of m and n samples that have each u, by Mann's and Whitney's own
// recurrence: the largest sample is of one side or of the other.
std::vector<double> counts(std::size_t m, std::size_t n) {
  std::vector<std::vector<std::vector<double>>> f(m + 1, std::vector<std::vector<double>>(n + 1));
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      f[i][j].assign(m * n + 1, 0);
      if (i == 0 || j == 0) {
        f[i][j][0] = 1;
        continue;
      }
      for (std::size_t u = 0; u <= i * j; ++u)
        f[i][j][u] = (u >= i ? f[i][j - 1][u - i] : 0) + f[i - 1][j][u];
    }
  }
  return f[m][n];
}

double below_or_at(const std::vector<double>& count, std::size_t u) {
  double below = 0, all = 0;
  for (std::size_t i = 0; i < count.size(); ++i) {
    all += count[i];
    below += i <= u ? count[i] : 0;
  }
  return below / all;
}

TEST(rank_sum, of_many_samples_is_close_to_the_exact_one) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const auto& [m, n] : {std::pair{30, 30}, {26, 40}}) {
    ASSERT_GT(static_cast<std::size_t>(m + n), most_samples_for_exact_ranks);
    const auto count = counts(m, n);
    for (const double shift : {0.0, 0.3, -0.5}) {
      samples before(m), after(n);
      for (double& x : before) x = normal(random);
      for (double& x : after) x = normal(random) + shift;
      const auto found = compare_ranks(before, after);
      const auto u = static_cast<std::size_t>(found.u);
      EXPECT_NEAR(found.p_smaller, below_or_at(count, u), 0.002);
      EXPECT_NEAR(found.p_larger, below_or_at(count, m * n - u), 0.002);
    }
  }
}

TEST(rank_sum, of_many_samples_with_ties_is_close_to_what_permutations_give) {
  std::mt19937 random(6);
  samples before(40), after(40);
  for (double& x : before) x = static_cast<double>(random() % 3);
  for (double& x : after) x = static_cast<double>(random() % 7 % 4);
  const auto found = compare_ranks(before, after);
  samples all(before);
  all.insert(all.end(), after.begin(), after.end());
  constexpr int rounds = 20'000;
  int larger = 0;
  for (int round = 0; round < rounds; ++round) {
    std::ranges::shuffle(all, random);
    larger += pairs_above(std::span(all).first(40), std::span(all).last(40)) >= found.u;
  }
  const double expected = static_cast<double>(larger) / rounds;
  EXPECT_NEAR(found.p_larger, expected, 0.015);
}

TEST(rank_sum, says_nothing_of_equal_samples) {
  for (const std::size_t m : {3, 40}) {
    const samples same(m, 2.5);
    const auto found = compare_ranks(same, same);
    EXPECT_DOUBLE_EQ(found.p_larger, 1);
    EXPECT_DOUBLE_EQ(found.p_smaller, 1);
  }
  EXPECT_EQ(compare_ranks({}, samples{1, 2}).p_larger, 1);
}

TEST(rank_sum, the_rank_of_the_shift_leaves_out_what_the_counts_say) {
  for (const auto& [m, n] : {std::pair{4, 4}, {5, 9}, {10, 10}, {25, 25}}) {
    const auto count = counts(m, n);
    std::size_t expected = 0;
    while (below_or_at(count, expected) <= 0.025) ++expected;
    EXPECT_EQ(rank_of_shift(m, n, 0.95), expected) << m << " and " << n;
  }
  // Published: for 10 and 10 samples the critical value of u at 5 %, two-sided, is 23.
  EXPECT_EQ(rank_of_shift(10, 10, 0.95), 24U);
  EXPECT_EQ(rank_of_shift(3, 3, 0.95), 0U);
  EXPECT_EQ(rank_of_shift(0, 9, 0.95), 0U);
}

}  // namespace rank_sum_test
