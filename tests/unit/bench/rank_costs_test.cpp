// SPDX-License-Identifier: Apache-2.0
#include "predict/rank_costs.hpp"

#include <gtest/gtest.h>

#include "predict/prediction.hpp"

namespace pleat::bench {
namespace rank_costs_test {

const ranked_work works[] = {{"sort", 1 << 20, 8, 1, 0},
                             {"fft", 1 << 20, 16, 1, 0},
                             {"matmul", 2048, 8, 1, 0},
                             {"stencil1", 1 << 20, 8, 1, 1000},
                             {"stencil2", 1024, 8, 1, 256}};

TEST(RankCosts, OneRankExchangesNothing) {
  for (const ranked_work& work : works) {
    const auto costs = costs_over_ranks(work, {1, 4});
    ASSERT_TRUE(costs);
    EXPECT_EQ(costs->H(16), 0) << work.program;
    EXPECT_EQ(costs->seconds(1, 1), 0) << work.program;
  }
}

TEST(RankCosts, BlocksOfOthersHaveToTravel) {
  const auto sorted = costs_over_ranks(works[0], {2, 1});
  EXPECT_GT(sorted->bytes, 8.0 * (1 << 20) / 4);  // half of half the keys
  EXPECT_LT(sorted->bytes, 8.5 * (1 << 20) / 4);
  const auto transformed = costs_over_ranks(works[1], {4, 1});
  EXPECT_NEAR(transformed->bytes, 3 * 16.0 * (1 << 20) * 3 / 16, 3e4);
  const auto multiplied = costs_over_ranks(works[2], {4, 1});
  EXPECT_NEAR(multiplied->bytes, 2 * 8.0 * 1024 * 1024, 2e4);
  const auto stepped = costs_over_ranks(works[4], {4, 1});
  // Three rows a step from a neighbour; in the end and the beginning what is not at home.
  EXPECT_GT(stepped->bytes, 2 * 8.0 * 256 * 1024);
  EXPECT_LT(stepped->bytes, 4 * 8.0 * 256 * 1024);
}

TEST(RankCosts, TheComplexityIsThatOfTheEvaluationModel) {
  const auto costs = costs_over_ranks(works[3], {16, 1});
  EXPECT_DOUBLE_EQ(costs->H(10) - costs->H(0), 10 * costs->supersteps);
  EXPECT_DOUBLE_EQ(costs->H(0), costs->bytes / 8);
  EXPECT_DOUBLE_EQ(costs->seconds(2, 3), 2 * costs->H(0) + 3 * (costs->supersteps + costs->runs));
}

TEST(RankCosts, TransformsWhoseExchangesDependOnTheirFactorsAreNotCounted) {
  EXPECT_FALSE(costs_over_ranks({"fft", 1000003, 16, 1, 0}, {2, 1}));
  EXPECT_FALSE(costs_over_ranks({"fft", 1 << 16, 16, 3, 0}, {2, 1}));
  EXPECT_EQ(costs_over_ranks({"fft", 1 << 10, 16, 1024, 0}, {2, 1})->supersteps, 1);
}

TEST(Clusters, ASuperstepCostsItsMessagesOneAfterTheOther) {
  for (const cluster& one : clusters()) {
    const machine_model model = one.machine(6);
    ASSERT_EQ(model.levels(), 6u);
    EXPECT_DOUBLE_EQ(model.l[5], one.latency + 2 * one.overhead);  // two nodes
    EXPECT_DOUBLE_EQ(model.l[0], one.latency + 126 * one.overhead);
    EXPECT_DOUBLE_EQ(model.g[0], 8 / one.bytes_per_second);
    EXPECT_FALSE(violated_condition(model));
    EXPECT_EQ(&find_cluster(one.name), &one);
  }
}

}  // namespace rank_costs_test
}  // namespace pleat::bench
