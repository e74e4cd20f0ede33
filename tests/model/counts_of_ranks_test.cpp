// SPDX-License-Identifier: Apache-2.0
// Counts of several ranks together are those of one process: of random programs of supersteps, on 1
// to 17 ranks.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "costs_as_defined.hpp"
#include "counted_program.hpp"
#include "faults/watchdog.hpp"
#include "random_rounds.hpp"
#include "rank_threads.hpp"
#include "script.hpp"

namespace counts_of_ranks_test {

using pleat::cost_trace;
using namespace model::counted;

constexpr std::size_t between = 3;  // processors

/// Finds the first difference, also in the messages between processors.
std::optional<std::string> difference_of(const cost_trace& one, const cost_trace& other) {
  if (one.processors() != other.processors()) return "other numbers of processors";
  for (unsigned label = 0; label < one.labels(); ++label) {
    for (std::size_t from = 0; from < one.processors(); ++from) {
      for (std::size_t to = 0; to < one.processors(); ++to) {
        if (one.messages_between(label, from, to) != other.messages_between(label, from, to))
          return "other numbers of messages between processors";
      }
    }
  }
  return pleat::first_difference(one, other);
}

class counts_of_ranks : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] machine_of_ranks counting(pleat::tracing what) const {
    return machine_of_ranks(std::vector<unsigned>(GetParam(), 1), {.trace = what});
  }
  void play_many(bool early_ends) {
    std::size_t n = 0;
    for (const bool dummies : {false, true}) {
      const pleat::tracing what{.dummies = dummies, .processors = between};
      machine_of_ranks ranks = counting(what);
      pleat::machine alone({.trace = what});
      random_rounds(9, [&](dice& random) {
        dog_.watch("counts", ++n);
        const std::size_t v = 1 + random(random(3) == 0 ? 70 : 12);
        const program_steps p = random_program(v, random.generator(), early_ends);
        const auto program = [&](pleat::vp& me) { return play(me, p[me.rank()]); };
        const costs_as_defined expected(p, dummies);
        const auto all = ranks.run(v, program);
        if (expected.unfinished) {
          const std::string superstep =
              "no costs: in superstep " + std::to_string(*expected.unfinished) + " VP ";
          EXPECT_EQ(words_of(all).rfind(superstep, 0), 0u) << words_of(all);
          return;
        }
        ASSERT_EQ(words_of(all), "");
        const cost_trace of_one = *alone.run(v, program).costs;
        for (const pleat::run_report& report : all.reports) {
          ASSERT_TRUE(report.costs.has_value());
          expect_counted(expected, *report.costs);
          EXPECT_EQ(difference_of(of_one, *report.costs), std::nullopt);
        }
      });
    }
  }
  /// Cuts the names of VPs off: which two differ is for either machine to say.
  static std::string superstep_of(const std::string& words) {
    return words.substr(0, words.find(" VP"));
  }
  faults::watchdog dog_;
};

TEST_P(counts_of_ranks, are_those_of_one_process) { play_many(false); }

TEST_P(counts_of_ranks, are_those_of_one_process_where_virtual_processors_end_early) {
  play_many(true);
}

TEST_P(counts_of_ranks, are_refused_for_the_superstep_in_which_labels_differ) {
  machine_of_ranks ranks = counting({});
  std::size_t n = 0;
  random_rounds(20, [&](dice& random) {
    dog_.watch("refused counts", ++n);
    const std::size_t v = 1 + random(n % 2 == 0 ? 5 : 40);
    const model::script script = model::random_script(
        v, random.generator(),
        {.inside_clusters = true, .early_ends = n % 3 == 0, .leave_messages = true});
    const auto program = [&](pleat::vp& me) -> pleat::task<> {
      for (const model::scripted_step& s : script[me.rank()]) {
        for (const model::scripted_send& m : s.sends) me.send(m.destination, m.seed);
        if (s.label) co_await me.sync(*s.label);
      }
    };
    std::string of_one;
    try {
      (void)pleat::evaluate(v, program);
    } catch (const pleat::usage_error& e) {
      of_one = e.what();
    }
    EXPECT_EQ(superstep_of(words_of(ranks.run(v, program))), superstep_of(of_one));
  });
}

TEST_P(counts_of_ranks, are_as_good_as_before_behind_a_run_that_fails) {
  machine_of_ranks ranks = counting({});
  const auto shift = [&](bool fails) {
    return ranks.run(40, [fails](pleat::vp& me) -> pleat::task<> {
      me.send((me.rank() + 7) % me.size(), 1);
      co_await me.sync(0);
      if (fails && me.rank() == 39) throw std::runtime_error("as written");
      me.send(me.rank() ^ 1, 1);
      co_await me.sync(me.labels() - 1);
    });
  };
  for (int round = 0; round < 3; ++round) {
    dog_.watch("counts behind failures", static_cast<std::size_t>(round));
    EXPECT_NE(words_of(shift(true)), "");
    const auto good = shift(false);
    ASSERT_EQ(words_of(good), "");
    for (const pleat::run_report& report : good.reports) EXPECT_EQ(report.costs->messages(), 80u);
  }
}

// Ranks wait by spinning: when a sanitizer watches each look, many on a few cores take minutes.
const auto numbers_of_ranks = pleat::detail::sanitized
                                  ? std::vector<std::size_t>{1, 2, 5}
                                  : std::vector<std::size_t>{1, 2, 3, 4, 5, 7, 8, 13, 16, 17};
INSTANTIATE_TEST_SUITE_P(of_ranks, counts_of_ranks, testing::ValuesIn(numbers_of_ranks),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace counts_of_ranks_test
