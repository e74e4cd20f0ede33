// SPDX-License-Identifier: Apache-2.0
#include "sweep/visit_plan.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "measure/interleave.hpp"
#include "measure/statistics.hpp"
#include "seed.hpp"

namespace pleat::bench {
namespace visit_plan_test {

using json = nlohmann::ordered_json;

// A machine on which a visit takes what it is told to: no clock is read.
struct simulated_case {
  double set_up = 0.1;   // seconds of a visit before its first round
  double sample = 0.01;  // seconds of a round
  double noise = 0;      // relative, uniform
  double drift = 0;      // relative, from visit to visit
};

class Simulation {
 public:
  Simulation(std::vector<simulated_case> cases, const repetition_rule& rule)
      : cases_(std::move(cases)), records_(cases_.size()), plan_(rule, 7), random_(seed()) {
    for (std::size_t i = 0; i < records_.size(); ++i) records_[i].at.n = i;
  }

  // Returns false when all are done.
  bool visit() {
    const auto index = plan_.next(records_);
    if (!index) return false;
    order.push_back(*index);
    auto& record = records_[*index];
    const auto& how = cases_[*index];
    record.apply({{"visit", true}});
    double elapsed = how.set_up;
    record.apply({{"ready", json::object()}, {"elapsed", elapsed}});
    while (!plan_.visit_done(record)) {
      const double shift = 1 + how.drift * static_cast<double>(record.visits);
      const double seconds =
          how.sample * shift * (1 + std::uniform_real_distribution<>(0, how.noise)(random_));
      elapsed += seconds;
      json samples = json::array();
      samples.push_back({"pleat", seconds, seconds, 1});
      record.apply({{"round", samples}, {"elapsed", elapsed}});
    }
    return true;
  }

  void run() {
    while (visit()) ASSERT_LT(order.size(), 10'000U);
  }

  [[nodiscard]] const case_record& record(std::size_t i) const { return records_[i]; }
  [[nodiscard]] stop stopped(std::size_t i) const { return plan_.stopped(records_[i]); }

  std::vector<std::size_t> order;

 private:
  std::vector<simulated_case> cases_;
  std::vector<case_record> records_;
  visit_plan plan_;
  std::mt19937_64 random_;
};

TEST(VisitPlan, SteadyCasesAreVisitedTwiceAndStopAtThePrecision) {
  Simulation steady(std::vector<simulated_case>(5), {.precision = 0.02, .time_limit = 5});
  steady.run();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(steady.stopped(i), stop::precision);
    EXPECT_EQ(steady.record(i).visits, 2U);
    EXPECT_EQ(steady.record(i).rounds(), 12U);  // six for an interval, in each visit
  }
}

TEST(VisitPlan, AllAreVisitedOnceBeforeAnyIsVisitedAgain) {
  Simulation several(std::vector<simulated_case>(40), {});
  several.run();
  ASSERT_EQ(several.order.size(), 80U);
  const std::set<std::size_t> first(several.order.begin(), several.order.begin() + 40);
  EXPECT_EQ(first.size(), 40U);
  EXPECT_FALSE(std::is_sorted(several.order.begin(), several.order.begin() + 40));
  EXPECT_FALSE(
      std::equal(several.order.begin(), several.order.begin() + 40, several.order.begin() + 40));
}

TEST(VisitPlan, NoiseAndDriftStopAtTheTimeLimit) {
  Simulation noisy({{.noise = 9}, {.drift = 0.5}}, {.precision = 0.001, .time_limit = 5});
  noisy.run();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(noisy.stopped(i), stop::time_limit);
    EXPECT_GE(noisy.record(i).visits, 2U);
    EXPECT_GE(noisy.record(i).seconds, 4);
    EXPECT_LE(noisy.record(i).seconds, 6);
  }
}

TEST(VisitPlan, WhatTakesLongerThanItsTimeIsMeasuredOnce) {
  Simulation slow({{.set_up = 20, .sample = 30}}, {.time_limit = 5});
  slow.run();
  EXPECT_EQ(slow.record(0).rounds(), 1U);
  EXPECT_EQ(slow.stopped(0), stop::time_limit);
}

TEST(VisitPlan, RepetitionsAreExactWhateverThePrecision) {
  for (std::size_t wanted = 1; wanted < 20; ++wanted) {
    Simulation counted({{.noise = 3}, {.sample = 100}},
                       {.precision = 0.5, .time_limit = 0.1, .repetitions = wanted});
    counted.run();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(counted.record(i).rounds(), wanted);
      EXPECT_EQ(counted.record(i).visits, wanted == 1 ? 1U : 2U);
      EXPECT_EQ(counted.stopped(i), stop::repetitions);
    }
  }
}

TEST(VisitPlan, TheLeastPreciseLibraryDecides) {
  case_record record;
  for (int i = 0; i < 8; ++i) {
    json round = json::array();
    round.push_back({"ips4o", i % 2 == 0 ? 1.0 : 2.0, 1.0, 1});
    round.push_back({"pleat", 1.0, 1.0, 1});
    record.apply({{"round", round}});
  }
  ASSERT_EQ(record.libraries.size(), 2U);
  EXPECT_EQ(record.libraries[0].library, "pleat");  // first, whatever came first
  EXPECT_EQ(*relative_interval(record.libraries[0].seconds()), 0);
  EXPECT_GT(*relative_interval(record, 8), 0.3);
}

using pleat::bench::candidate, pleat::bench::interleave;

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

}  // namespace visit_plan_test
}  // namespace pleat::bench
