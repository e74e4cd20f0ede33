// SPDX-License-Identifier: Apache-2.0
#include "machine/linear_cost.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace linear_cost_test {

using pleat::estimate, pleat::detail::count_outliers, pleat::detail::estimate_line;
using pleat::detail::fit_line, pleat::detail::median_of;

const std::vector<double> degrees{0, 1, 8, 64, 512, 4096};

std::vector<double> line(double g, double l) {
  std::vector<double> t;
  for (const double h : degrees) t.push_back(l + g * h);
  return t;
}

TEST(fit_line, finds_the_line_that_is_there) {
  const auto found = fit_line(degrees, line(3e-10, 8e-8));
  EXPECT_NEAR(found.g, 3e-10, 1e-18);
  EXPECT_NEAR(found.l, 8e-8, 1e-16);
}

TEST(fit_line, minimises_relative_errors) {
  // Any line near the best one is worse.
  const std::vector<double> t{1.0, 1.2, 2.1, 7.0, 60.0, 380.0};
  const auto best = fit_line(degrees, t);
  const auto loss = [&](double g, double l) {
    double sum = 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      const double e = (l + g * degrees[k] - t[k]) / t[k];
      sum += e * e;
    }
    return sum;
  };
  for (const double dg : {-1e-3, 0.0, 1e-3}) {
    for (const double dl : {-1e-2, 0.0, 1e-2})
      EXPECT_LE(loss(best.g, best.l), loss(best.g + dg, best.l + dl));
  }
}

TEST(fit_line, has_no_negative_coefficients) {
  const auto falling = fit_line(degrees, std::vector<double>{6, 5, 4, 3, 2, 1});
  EXPECT_EQ(falling.g, 0);
  EXPECT_GT(falling.l, 0);
  const auto steep = fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 9});
  EXPECT_EQ(steep.l, 0);
  EXPECT_GT(steep.g, 0);
}

TEST(median, is_the_middle_or_the_mean_of_the_two_in_the_middle) {
  EXPECT_EQ(median_of({5}), 5);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median_of({7, 7}), 7);
}

TEST(outliers, are_counted_above_the_median_only) {
  EXPECT_EQ(count_outliers(std::vector<double>{1, 1.1, 0.9, 1, 1.05, 0.95, 20}), 1u);
  EXPECT_EQ(count_outliers(std::vector<double>{1, 1.1, 0.9, 1, 1.05, 0.95, -20}), 0u);
  EXPECT_EQ(count_outliers(std::vector<double>{2, 2, 2}), 0u);
}

TEST(estimate_line, has_intervals_that_hold_the_truth_in_most_cases) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.1);
  int g_held = 0, l_held = 0;
  constexpr int cases = 100;
  for (int k = 0; k < cases; ++k) {
    std::vector<std::vector<double>> samples;
    for (const double t : line(1e-9, 1e-7)) {
      samples.emplace_back();
      for (int round = 0; round < 41; ++round) samples.back().push_back(t * noise(random));
    }
    estimate g, l;
    estimate_line(degrees, samples, 1, 1, 400, g, l);
    EXPECT_LE(g.low, g.value);
    EXPECT_LE(g.value, g.high);
    EXPECT_LT(g.high - g.low, 0.2e-9);
    g_held += g.low <= 1e-9 && 1e-9 <= g.high;
    l_held += l.low <= 1e-7 && 1e-7 <= l.high;
  }
  EXPECT_GE(g_held, 85);
  EXPECT_GE(l_held, 85);
}

TEST(estimate_line, has_such_intervals_on_a_machine_that_drifts_too) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> step(0, 0.05);
  int held = 0;
  constexpr int cases = 200, blocks = 10, block = 8;
  for (int k = 0; k < cases; ++k) {
    std::vector<std::vector<double>> samples(std::size(degrees));
    const auto truth = line(1e-9, 1e-7);
    double drift = step(random);
    for (int b = 0; b < blocks; ++b) {
      drift = 0.6 * drift + 0.8 * step(random);
      for (std::size_t size = 0; size < truth.size(); ++size) {
        for (int round = 0; round < block; ++round)
          samples[size].push_back(truth[size] * std::exp(drift + step(random)));
      }
    }
    estimate g, l;
    estimate_line(degrees, samples, block, 1, 400, g, l);
    held += g.low <= 1e-9 && 1e-9 <= g.high;
  }
  EXPECT_GE(held, cases * 77 / 100) << held;  // 70 of 100 if the drift is not looked at
}

TEST(estimate_line, of_samples_without_noise_has_no_width) {
  std::vector<std::vector<double>> samples;
  for (const double t : line(2, 3)) samples.emplace_back(9, t);
  estimate g, l;
  estimate_line(degrees, samples, 3, 1, 50, g, l);
  EXPECT_NEAR(g.high - g.low, 0, 1e-12);
  EXPECT_NEAR(l.value, 3, 1e-9);
}

TEST(estimates, overlap_where_they_share_a_value) {
  EXPECT_TRUE((estimate{2, 1, 3}).overlaps({3.5, 3, 4}));
  EXPECT_FALSE((estimate{2, 1, 3}).overlaps({4, 3.5, 5}));
}

}  // namespace linear_cost_test
