// SPDX-License-Identifier: Apache-2.0
#include "measure/verdict.hpp"

#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace verdict_test {

using pleat::bench::enough_samples, pleat::bench::judge, pleat::bench::sample_pair;
using pleat::bench::verdict;

// Times as a machine gives them: skewed, with an outlier now and then.
class noisy_machine {
 public:
  explicit noisy_machine(unsigned seed) : random_(seed) {}

  std::vector<double> times(std::size_t count, double about) {
    std::gamma_distribution<double> skewed(2, 0.005);
    std::vector<double> result(count);
    for (double& t : result) t = about * (1 + skewed(random_)) * (random_() % 20 == 0 ? 1.3 : 1);
    return result;
  }

  // A run of a sweep: every case measured `count` times.
  std::vector<sample_pair> pair_of_runs(std::size_t cases, std::size_t count, double ratio) {
    std::vector<sample_pair> pairs(cases);
    for (auto& pair : pairs) pair = {times(count, 1e-3), times(count, 1e-3 * ratio)};
    return pairs;
  }

 private:
  std::mt19937 random_;
};

TEST(verdict, of_100_pairs_of_identical_runs_at_most_5_have_a_false_alarm) {
  for (const double band : {0.0, 0.02}) {
    noisy_machine machine(11);
    int alarms = 0;
    for (int run = 0; run < 100; ++run) {
      bool alarm = false;
      for (const auto& one : judge(machine.pair_of_runs(12, 10, 1), {.band = band}))
        alarm = alarm || one.what == verdict::faster || one.what == verdict::slower;
      alarms += alarm;
    }
    EXPECT_LE(alarms, 5 + (band == 0 ? 3 : 0)) << band;  // without a band 5 is what to expect
  }
}

TEST(verdict, a_slowdown_of_5_percent_that_is_put_in_is_found) {
  noisy_machine machine(12);
  int found = 0;
  for (int run = 0; run < 100; ++run) {
    auto pairs = machine.pair_of_runs(12, 20, 1);
    for (double& t : pairs[7].after) t *= 1.05;
    const auto judged = judge(pairs);
    found += judged[7].what == verdict::slower;
  }
  EXPECT_GE(found, 95);
}

TEST(verdict, runs_that_agree_within_the_band_are_the_same) {
  noisy_machine machine(14);
  for (const auto& one : judge(machine.pair_of_runs(5, 60, 1.002)))
    EXPECT_EQ(one.what, verdict::same);
}

// A difference that is there but smaller than the band is not reported, however sure it is.
TEST(verdict, a_difference_smaller_than_the_band_is_no_difference) {
  noisy_machine machine(16);
  const auto pairs = machine.pair_of_runs(1, 400, 1.01);
  EXPECT_EQ(judge(pairs, {.band = 0.02}).front().what, verdict::same);
  EXPECT_EQ(judge(pairs, {.band = 0}).front().what, verdict::slower);
}

TEST(verdict, corrects_for_several_cases_as_in_a_worked_example_of_holm) {
  const auto corrected = pleat::bench::holm_corrected(std::vector{0.01, 0.04, 0.03, 0.005});
  const std::vector expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(corrected[i], expected[i]);
}

TEST(verdict, with_too_few_samples_for_that_many_cases_nothing_can_be_shown) {
  EXPECT_TRUE(enough_samples(6, 6, 1));
  EXPECT_TRUE(enough_samples(6, 6, 23));  // 2 * 23 / C(12, 6) = 0.0498
  EXPECT_FALSE(enough_samples(6, 6, 24));
  EXPECT_FALSE(enough_samples(1, 1, 1));
  for (const std::size_t cases : {23, 24}) {
    const sample_pair clear{{1, 2, 3, 4, 5, 6}, {11, 12, 13, 14, 15, 16}};
    const bool shown = judge(std::vector(cases, clear)).front().what == verdict::slower;
    EXPECT_EQ(shown, enough_samples(6, 6, cases));
  }
}

}  // namespace verdict_test
