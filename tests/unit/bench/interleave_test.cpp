// SPDX-License-Identifier: Apache-2.0
#include "measure/interleave.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "measure/statistics.hpp"

namespace interleave_test {

using pleat::bench::candidate;
using pleat::bench::interleave;

struct log_of_calls {
  std::vector<std::string> calls;

  candidate named(const std::string& name) {
    return {name, [this, name] { calls.push_back("verify " + name); },
            [this, name] {
              calls.push_back(name);
              return static_cast<double>(calls.size());
            }};
  }
};

TEST(interleave, verifies_everybody_before_anybody_is_sampled) {
  log_of_calls log;
  static_cast<void>(interleave({log.named("a"), log.named("b"), log.named("c")}, 1, 7));
  ASSERT_GE(log.calls.size(), 3U);
  EXPECT_EQ((std::vector<std::string>(log.calls.begin(), log.calls.begin() + 3)),
            (std::vector<std::string>{"verify a", "verify b", "verify c"}));
}

TEST(interleave, samples_nobody_when_a_verification_fails) {
  log_of_calls log;
  auto wrong = log.named("wrong");
  wrong.verify = [] { throw std::runtime_error("wrong result"); };
  EXPECT_THROW(static_cast<void>(interleave({log.named("a"), wrong}, 3, 7)), std::runtime_error);
  EXPECT_EQ(log.calls, (std::vector<std::string>{"verify a"}));
}

TEST(interleave, samples_everybody_once_in_each_round_and_keeps_all_but_the_first) {
  log_of_calls log;
  const std::size_t repetitions = 20;
  const auto results = interleave({log.named("a"), log.named("b"), log.named("c")}, repetitions, 7);
  log.calls.erase(log.calls.begin(), log.calls.begin() + 3);
  ASSERT_EQ(log.calls.size(), 3 * (repetitions + 1));
  std::set<std::vector<std::string>> orders;
  for (std::size_t round = 0; round <= repetitions; ++round) {
    const auto first = log.calls.begin() + static_cast<std::ptrdiff_t>(3 * round);
    std::vector<std::string> order(first, first + 3);
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c"}));
  }
  EXPECT_GT(orders.size(), 1U) << "the order within a round does not change";
  for (const auto& one : results) EXPECT_EQ(one.seconds.size(), repetitions);
  EXPECT_EQ(results[1].name, "b");
}

TEST(interleave, a_short_sample_is_repeated_and_the_second_counts) {
  log_of_calls log;
  const auto results =
      interleave({log.named("a"), log.named("b")}, 5, 7, {.repeat_below = std::chrono::hours(1)});
  log.calls.erase(log.calls.begin(), log.calls.begin() + 2);
  ASSERT_EQ(log.calls.size(), 2 * 2 * 6U);
  for (std::size_t i = 0; i < log.calls.size(); i += 2) EXPECT_EQ(log.calls[i], log.calls[i + 1]);
  for (const auto& one : results) {
    EXPECT_EQ(one.seconds.size(), 5U);
    for (const double seconds : one.seconds)  // the number of the call
      EXPECT_EQ(static_cast<std::size_t>(seconds) % 2, 0U);
  }
}

}  // namespace interleave_test
