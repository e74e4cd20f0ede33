// SPDX-License-Identifier: Apache-2.0
// Programs that the evaluator refuses to count, and what it says of them.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/evaluate.hpp>

#include "script.hpp"
#include "seed.hpp"
#include "unit/message_of.hpp"

namespace evaluate_refusals_test {

using pleat::cost_trace, pleat::task, pleat::vp;

std::string complaint(std::size_t v, const auto& run) {
  return message_of<pleat::usage_error>([&] { (void)pleat::evaluate(v, run); });
}

TEST(refused_evaluations, name_the_first_difference_between_labels) {
  std::size_t ended = 0;
  const std::string what = complaint(8, [&](vp& me) -> task<> {
    co_await me.sync(0);
    if (me.rank() >= 6) co_await me.sync(2);
    co_await me.sync(1);
    co_await me.sync(0);
    ++ended;
  });
  EXPECT_EQ(what,
            "no costs: in superstep 1 VP 0 performs sync(1) and VP 6 sync(2); a program is counted "
            "if all VPs perform the same sequence of labels");
  EXPECT_EQ(ended, 8u) << "the program should have been finished";
}

/// The superstep that cannot be counted: the first in which the labels of two VPs differ, else the
/// first in which one ends after it has sent while others go on.
std::optional<std::size_t> first_disagreement(const model::script& all) {
  std::optional<std::size_t> unfinished;
  for (std::size_t s = 0;; ++s) {
    std::set<unsigned> labels;
    bool sent = false;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (s >= all[rank].size()) continue;
      const model::scripted_step& step = all[rank][s];
      if (step.label) labels.insert(*step.label);
      for (const model::scripted_send& m : step.sends) sent |= !step.label && m.destination != rank;
    }
    if (labels.empty()) return unfinished;
    if (labels.size() > 1) return s;
    if (sent && !unfinished) unfinished = s;
  }
}

TEST(refused_evaluations, count_exactly_the_programs_whose_labels_agree) {
  const std::uint64_t from = seed();
  SCOPED_TRACE("seed " + std::to_string(from));
  std::mt19937_64 random(from);
  std::size_t agree = 0, disagree = 0;
  for (int n = 0; n < 300; ++n) {
    const std::size_t v = 1 + random() % (n % 2 == 0 ? 4 : 40);
    const model::script script = model::random_script(
        v, random, {.inside_clusters = true, .early_ends = n % 3 == 0, .leave_messages = true});
    const auto first = first_disagreement(script);
    const std::string what = complaint(v, [&](vp& me) -> task<> {
      for (const model::scripted_step& s : script[me.rank()]) {
        for (const model::scripted_send& m : s.sends) me.send(m.destination, m.seed);
        if (s.label) co_await me.sync(*s.label);
      }
    });
    if (!first) {
      ++agree;
      ASSERT_EQ(what, "") << "script " << n << " on M(" << v << ")";
    } else {
      ++disagree;
      ASSERT_NE(what.find("in superstep " + std::to_string(*first) + " VP"), std::string::npos)
          << what << "; superstep " << *first;
    }
  }
  EXPECT_GT(agree, 10u);
  EXPECT_GT(disagree, 10u);
}

TEST(refused_evaluations, do_not_count_what_is_sent_after_the_last_sync) {
  const cost_trace t = pleat::evaluate(4, [](vp& me) -> task<> {
    me.send(me.rank() ^ 1, 1);
    co_await me.sync(1);
    me.send(me.rank() ^ 2, 1);
  });
  EXPECT_EQ(t.messages(), 4u);
  EXPECT_EQ(t.supersteps().size(), 1u);
  EXPECT_EQ(t.F(0, 2), 0u);
}

}  // namespace evaluate_refusals_test
