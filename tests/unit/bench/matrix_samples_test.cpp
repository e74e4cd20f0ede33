// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_samples.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace matrix_samples_test {

using pleat::bench::matrix_effort;
using pleat::bench::matrix_plan;
using pleat::bench::take_samples;
using place = std::pair<std::size_t, std::size_t>;

// 3 × 3, symmetric; the k-th sample of the whole test has the value k.
struct counted_plan {
  std::vector<place> asked;
  matrix_plan plan;

  counted_plan() {
    plan.shape.symmetric = true;
    plan.shape.rows = plan.shape.columns = {"0", "1", "2"};
    plan.pairs = {{0, 1}, {0, 2}, {1, 2}};
    plan.sample = [this](std::size_t row, std::size_t column) {
      asked.emplace_back(row, column);
      return static_cast<double>(asked.size());
    };
  }
};

TEST(take_samples, visits_every_pair_once_a_round_and_the_other_way_round_in_the_next) {
  counted_plan counted;
  const auto taken = take_samples({&counted.plan, 1}, {.rounds = 2});
  ASSERT_EQ(counted.asked.size(), 6u);
  const std::set<place> first(counted.asked.begin(), counted.asked.begin() + 3);
  const std::set<place> second(counted.asked.begin() + 3, counted.asked.end());
  EXPECT_EQ(first, (std::set<place>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(second, (std::set<place>{{1, 0}, {2, 0}, {2, 1}}));
  EXPECT_TRUE(taken.complete);
}

TEST(take_samples, gives_medians_and_intervals_of_order_statistics) {
  matrix_plan plan;
  plan.shape.rows = {"0"};
  plan.shape.columns = {"0", "1"};
  plan.pairs = {{0, 1}};
  double next = 0;
  plan.sample = [&](std::size_t, std::size_t) { return ++next; };
  const auto taken = take_samples({&plan, 1}, {.rounds = 15});
  const auto& matrix = taken.matrices.front();
  EXPECT_FALSE(matrix.at(0, 0));
  ASSERT_TRUE(matrix.at(0, 1));
  EXPECT_EQ(matrix.at(0, 1)->median, 8);
  EXPECT_EQ(matrix.at(0, 1)->samples, 15u);
  ASSERT_TRUE(matrix.at(0, 1)->bounds);  // 4 and 12: tables of the sign test, n = 15
  EXPECT_EQ(matrix.at(0, 1)->bounds->low, 4);
  EXPECT_EQ(matrix.at(0, 1)->bounds->high, 12);
}

TEST(take_samples, mirrors_symmetric_matrices) {
  counted_plan counted;
  const auto taken = take_samples({&counted.plan, 1}, {.rounds = 3});
  const auto& matrix = taken.matrices.front();
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_FALSE(matrix.at(row, row));
    for (std::size_t column = 0; column < row; ++column) {
      ASSERT_TRUE(matrix.at(row, column));
      EXPECT_EQ(matrix.at(row, column)->median, matrix.at(column, row)->median);
      EXPECT_EQ(matrix.at(row, column)->samples, 3u);
      EXPECT_FALSE(matrix.at(row, column)->bounds);
    }
  }
}

TEST(take_samples, begins_no_sample_when_the_time_is_over) {
  counted_plan counted;
  matrix_effort effort;
  effort.over = [&] { return counted.asked.size() == 4; };
  std::size_t calls = 0;
  effort.progress = [&](std::size_t done, std::size_t planned) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(planned, 45u);
  };
  const auto taken = take_samples({&counted.plan, 1}, effort);
  EXPECT_FALSE(taken.complete);
  EXPECT_EQ(calls, 4u);
  std::size_t samples = 0;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = row + 1; column < 3; ++column)
      samples += taken.matrices.front().at(row, column)->samples;
  EXPECT_EQ(samples, 4u);
}

TEST(take_samples, leaves_pairs_empty_that_had_no_time_at_all) {
  counted_plan counted;
  matrix_effort effort;
  effort.over = [] { return true; };
  const auto taken = take_samples({&counted.plan, 1}, effort);
  EXPECT_FALSE(taken.complete);
  for (const auto& cell : taken.matrices.front().cells) EXPECT_FALSE(cell);
}

TEST(take_samples, mixes_the_matrices_in_every_round) {
  std::vector<matrix_plan> plans(2);
  std::map<int, int> samples;
  for (int k = 0; k < 2; ++k) {
    plans[static_cast<std::size_t>(k)].shape.rows = {"0"};
    plans[static_cast<std::size_t>(k)].shape.columns = {"0"};
    plans[static_cast<std::size_t>(k)].pairs = {{0, 0}};
    plans[static_cast<std::size_t>(k)].sample = [&samples, k](std::size_t, std::size_t) {
      ++samples[k];
      EXPECT_LE(samples[0] - samples[1], 1);
      EXPECT_GE(samples[0] - samples[1], -1);
      return 1.0 + k;
    };
  }
  const auto taken = take_samples(plans, {});
  EXPECT_EQ(taken.matrices[0].at(0, 0)->median, 1);
  EXPECT_EQ(taken.matrices[1].at(0, 0)->median, 2);
}

}  // namespace matrix_samples_test
