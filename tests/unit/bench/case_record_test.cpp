// SPDX-License-Identifier: Apache-2.0
#include "sweep/case_record.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pleat::bench {
namespace case_record_test {

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double middle_x = 0, middle_y = 0, above = 0, below = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    middle_x += x[i] / static_cast<double>(x.size());
    middle_y += y[i] / static_cast<double>(x.size());
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (x[i] - middle_x) * (y[i] - middle_y);
    below += (x[i] - middle_x) * (x[i] - middle_x);
  }
  return above / below;
}

// A program whose operation takes n^1.5 ns, small ones many in a call: whatever the batches, the
// samples grow by that power.
TEST(CaseRecord, HasTheTimeOfOneOperationHoweverManyAreInACall) {
  std::vector<double> sizes, times;
  for (std::size_t n = 4; n <= std::size_t{1} << 20; n *= 2) {
    case_record record;
    record.at.n = n;
    record.at.batch = n <= 1024 ? 4096 / n : 1;
    const double one = 1e-9 * std::pow(static_cast<double>(n), 1.5);
    const double call = one * static_cast<double>(record.at.batch);
    record.apply({{"round", {{"pleat", call, 2 * call, 3}, {"fftw", 2 * call, call, 1}}}});
    ASSERT_EQ(record.libraries.size(), 2U);
    const sample& ours = record.libraries[0].samples.at(0);
    EXPECT_DOUBLE_EQ(ours.seconds, one);
    EXPECT_DOUBLE_EQ(ours.cpu_seconds, 2 * one);
    EXPECT_EQ(ours.iterations, 3 * record.at.batch);
    EXPECT_DOUBLE_EQ(record.libraries[1].samples.at(0).seconds, 2 * one);
    sizes.push_back(std::log(static_cast<double>(n)));
    times.push_back(std::log(ours.seconds));
  }
  EXPECT_NEAR(slope(sizes, times), 1.5, 1e-9);
}

}  // namespace case_record_test
}  // namespace pleat::bench
