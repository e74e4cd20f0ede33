// SPDX-License-Identifier: Apache-2.0
// Counts of the evaluator, against the definitions of the model, applied literally.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs_as_defined.hpp"
#include "counted_program.hpp"
#include "over_ranks.hpp"
#include "rounds.hpp"
#include "seed.hpp"

namespace evaluate_test {

using pleat::cost_trace, pleat::task, pleat::vp;

using namespace model::counted;

class evaluation : public testing::TestWithParam<std::size_t> {
 protected:
  void play_many(bool early_ends) {
    const std::size_t v = GetParam();
    const std::uint64_t first = seed() + v;
    SCOPED_TRACE("seed " + std::to_string(first));
    std::mt19937_64 random(first);
    std::size_t counted = 0, refused = 0;
    for (const bool dummies : {false, true}) {
      // One machine for many runs: nothing may be left over from one to the next.
      pleat::machine machine(model::over_ranks({.trace = pleat::tracing{.dummies = dummies}}));
      int n = 0;
      for (rounds round(v > 100 ? 15 : 60); round.another(); ++n) {
        SCOPED_TRACE("program " + std::to_string(n) + (dummies ? " with dummies" : ""));
        const program_steps p =
            random_program(n % 3 == 2 ? 1 + random() % v : v, random, early_ends);
        const costs_as_defined expected(p, dummies);
        const auto run = [&] {
          return machine.run(p.size(), [&](vp& me) { return play(me, p[me.rank()]); });
        };
        if (!expected.unfinished) {
          const auto report = run();
          ASSERT_TRUE(report.costs.has_value());
          ASSERT_EQ(report.costs->v(), p.size());
          expect_counted(expected, *report.costs);
          ++counted;
        } else {
          const std::string superstep = "in superstep " + std::to_string(*expected.unfinished);
          try {
            (void)run();
            ADD_FAILURE() << "counted, though a VP ends after it has sent " << superstep;
          } catch (const pleat::usage_error& e) {
            EXPECT_NE(std::string(e.what()).find(superstep + " VP "), std::string::npos)
                << e.what();
          }
          ++refused;
        }
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(counted, 0u);
    if (early_ends && v > 2) {
      EXPECT_GT(refused, 0u);
    } else if (!early_ends || v == 1) {  // of two, one that ends early may never have sent before
      EXPECT_EQ(refused, 0u);
    }
  }
};

TEST_P(evaluation, counts_as_defined) { play_many(false); }

TEST_P(evaluation, counts_as_defined_when_virtual_processors_end_early) { play_many(true); }

TEST_P(evaluation, gives_the_same_for_the_same_program) {
  std::mt19937_64 random(seed());
  const program_steps p = random_program(GetParam(), random, false);
  const auto run = [&] {
    return pleat::evaluate(p.size(), [&](vp& me) { return play(me, p[me.rank()]); });
  };
  EXPECT_EQ(first_difference(run(), run()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(of_machines, evaluation,
                         testing::Values(1u, 2u, 3u, 4u, 5u, 16u, 37u, 64u, 256u),
                         [](const auto& p) { return "M" + std::to_string(p.param); });

TEST(evaluations, tell_the_full_program_that_is_not_wise) {
  constexpr std::size_t n = 64;
  const cost_trace t = pleat::evaluate(n, [](vp& me) -> task<> {
    for (std::size_t i = 0; me.rank() == 0 && i < n; ++i) me.send(n / 2, i);
    co_await me.sync(0);
  });
  EXPECT_EQ(t.messages(), n);
  for (unsigned j = 1; j <= t.labels(); ++j) {
    const double p = static_cast<double>(1 << j);
    EXPECT_EQ(t.H(j, 0), n);
    EXPECT_EQ(t.wiseness(j), 2 / p);
    EXPECT_EQ(t.fullness(j), 2 * n / p);
    EXPECT_GE(t.fullness(j), 2);
  }
}

TEST(evaluations, count_dummies_on_request_and_deliver_them_never) {
  for (const bool dummies : {false, true}) {
    std::size_t received = 0;
    const auto counted = [&](vp& me) -> task<> {
      me.send(me.rank() ^ 1, 1);
      me.dummy(me.rank() ^ 2, 3);
      me.dummy(me.rank());     // to itself: no communication
      me.dummy(me.rank(), 0);  // none
      co_await me.sync(0);
      while (me.receive()) ++received;
    };
    const cost_trace t = pleat::evaluate(4, counted, {.dummies = dummies});
    EXPECT_EQ(received, 4u);
    EXPECT_EQ(t.messages(), dummies ? 16u : 4u);
    EXPECT_EQ(t.F(0, 1), dummies ? 6u : 0u);
    EXPECT_EQ(t.F(0, 2), dummies ? 4u : 1u);
  }
}

TEST(evaluations, tell_runs_with_other_destinations_apart) {
  // Both are permutations: the degrees are the same.
  const auto shift_by = [](std::size_t d) {
    return pleat::evaluate(16, [d](vp& me) -> task<> {
      me.send((me.rank() + d) % me.size(), 1);
      co_await me.sync(0);
    });
  };
  EXPECT_EQ(first_difference(shift_by(8), shift_by(8)), std::nullopt);
  EXPECT_EQ(first_difference(shift_by(8), pleat::evaluate(16,
                                                          [](vp& me) -> task<> {
                                                            me.send(15 - me.rank(), 1);
                                                            co_await me.sync(0);
                                                          })),
            "superstep 0: the same degrees, but other sources or destinations of messages");
}

}  // namespace evaluate_test
