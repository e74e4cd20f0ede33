// SPDX-License-Identifier: Apache-2.0
#include "evidence/inflation/forecast.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace pleat::bench {
namespace forecast_test {

const machine_model pair{"pair", {3e-9}, {1e-7}};
const machine_model four{"four", {5e-9, 3e-9}, {4e-7, 1e-7}};

TEST(Forecast, MachinesHaveTheProbedClustersAndLargerOnesCostMoreByTheCubeRootOfTheirSize) {
  const machine_model sixteen = grown(four, 4);
  ASSERT_EQ(sixteen.levels(), 4u);
  EXPECT_EQ(sixteen.g[3], 3e-9);
  EXPECT_EQ(sixteen.g[2], 5e-9);
  EXPECT_DOUBLE_EQ(sixteen.g[1], 5e-9 * std::cbrt(2.0));
  EXPECT_DOUBLE_EQ(sixteen.g[0], 5e-9 * std::cbrt(4.0));
  EXPECT_DOUBLE_EQ(sixteen.l[0], 4e-7 * std::cbrt(4.0));
  EXPECT_FALSE(violated_condition(grown(pair, 7)));
}

TEST(Forecast, MachinesNoLargerThanTheProbedOneAreItsClusters) {
  EXPECT_EQ(grown(four, 2).g, four.g);
  EXPECT_EQ(grown(four, 1).g, pair.g);
  EXPECT_EQ(grown(four, 1).l, pair.l);
}

TEST(Forecast, AProgramThatDoesNotCommunicateIsNotInflated) {
  const forecast alone = forecast_on(
      grown(pair, 4), {16, 8, {0, 0, 0, 0}, {{}, {0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}}}, 1);
  EXPECT_EQ(alone.processors, 16u);
  EXPECT_EQ(alone.seconds, 1.0 / 16);
  EXPECT_EQ(alone.communication, 0);
  EXPECT_EQ(alone.inflation, 1);
}

TEST(Forecast, MessagesAndSuperstepsAreAddedToEachProcessorsShare) {
  // Two supersteps of all four, 10 messages of 16 bytes.
  const forecast busy = forecast_on(four, {4, 16, {2, 0}, {{}, {10}, {10, 0}}}, 1e-3);
  const double communication = 10 * 2 * 5e-9 + 2 * 4e-7;
  EXPECT_DOUBLE_EQ(busy.communication, communication);
  EXPECT_DOUBLE_EQ(busy.seconds, 1e-3 / 4 + communication);
  EXPECT_DOUBLE_EQ(busy.inflation, 4 * busy.seconds / 1e-3);
}

}  // namespace forecast_test
}  // namespace pleat::bench
