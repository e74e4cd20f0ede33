// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "measure/verdict.hpp"

namespace holm_test {

using pleat::bench::holm_corrected;

using values = std::vector<double>;

TEST(holm, agrees_with_a_worked_example) {
  const auto corrected = holm_corrected(values{0.01, 0.04, 0.03, 0.005});
  const values expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(corrected[i], expected[i]);
}

// The procedure as Holm states it: from the smallest p on, reject while p <= α / (tests left).
TEST(holm, rejects_what_the_stepwise_procedure_rejects) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(0, 0.1);
  for (int round = 0; round < 200; ++round) {
    values p(7);
    for (double& one : p) one = any(random);
    std::vector<bool> rejected(p.size());
    for (std::size_t left = p.size(); left > 0; --left) {
      std::size_t least = p.size();
      for (std::size_t i = 0; i < p.size(); ++i)
        if (!rejected[i] && (least == p.size() || p[i] < p[least])) least = i;
      if (p[least] > 0.05 / static_cast<double>(left)) break;
      rejected[least] = true;
    }
    const auto corrected = holm_corrected(p);
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(corrected[i] <= 0.05, rejected[i]);
  }
}

TEST(holm, is_never_above_one_and_leaves_a_single_test_alone) {
  EXPECT_EQ(holm_corrected(values{0.4, 0.9, 0.7}), (values{1, 1, 1}));
  EXPECT_EQ(holm_corrected(values{0.04}), values{0.04});
  EXPECT_EQ(holm_corrected({}), values{});
}

}  // namespace holm_test
