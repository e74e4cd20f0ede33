// SPDX-License-Identifier: Apache-2.0
// Rounds of collective operations on a machine that traces: which supersteps they are, beside those
// of the program. Degrees of all schedules are for tests/cli/evaluate_operations_test.py.
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>

#include "rank_threads.hpp"

namespace counted_rounds_test {

using pleat::cost_trace, pleat::segment, pleat::task, pleat::vp;

task<> gather_in(vp& me, segment in) {
  const std::vector<long> mine(3, 1);
  std::vector<long> all(3 * in.size);
  pleat::collective_options options;
  options.within = in;
  co_await pleat::all_gather(me, mine, all, options);
}

std::vector<unsigned> labels_of(const cost_trace& costs) {
  std::vector<unsigned> labels;
  for (const pleat::superstep_degrees& one : costs.supersteps()) labels.push_back(one.label);
  return labels;
}

TEST(counted_rounds, of_a_cluster_are_those_of_a_machine_of_its_size) {
  for (const std::size_t half : {2u, 4u, 16u}) {
    const cost_trace alone = pleat::evaluate(half, [](vp& me) { return gather_in(me, me.all()); });
    const cost_trace both = pleat::evaluate(2 * half, [half](vp& me) {
      const unsigned label = 1;
      return gather_in(me, {me.rank() / half * half, half, label});
    });
    EXPECT_EQ(both.messages(), 2 * alone.messages());
    ASSERT_EQ(both.supersteps().size(), alone.supersteps().size());
    for (std::size_t s = 0; s < both.supersteps().size(); ++s) {
      EXPECT_EQ(both.supersteps()[s].label, alone.supersteps()[s].label + 1);
      for (unsigned j = 0; j <= alone.labels(); ++j)
        EXPECT_EQ(both.supersteps()[s].h[j + 1], alone.supersteps()[s].h[j]);
    }
  }
}

TEST(counted_rounds, of_a_segment_that_is_no_cluster_are_of_the_cluster_around_their_messages) {
  // VPs 3 and 4 have no leading bit in common, so the second half of M(6) is no cluster.
  const cost_trace costs = pleat::evaluate(6, [](vp& me) {
    return gather_in(me, {me.rank() / 3 * 3, 3, 0});
  });
  EXPECT_EQ(labels_of(costs), (std::vector<unsigned>{0, 0}));
  // VP 3 is the only one of its segment on processor 0 of M(2), and sends and receives a part in
  // each round.
  EXPECT_EQ(costs.F(0, 1), 3u + 3u);
}

task<> several(vp& me) {
  me.send((me.rank() + 1) % me.size(), 1);  // for the sync below
  const long sum = co_await pleat::all_reduce(me, 1L, std::plus<>{});
  long before = co_await pleat::scan(me, sum, std::plus<>{});
  co_await me.sync(0);
  if (!me.receive()) throw std::logic_error("no message");
  const std::span<long> word(&before, 1);
  co_await pleat::broadcast(me, word);
  me.send(me.rank() & ~std::size_t{1}, before);
  co_await me.sync(me.labels() - 1);
}

TEST(counted_rounds, follow_each_other_between_the_supersteps_of_the_program) {
  const cost_trace costs = pleat::evaluate(2, [](vp& me) -> task<> {
    me.send(1 - me.rank(), 1);
    const long sum = co_await pleat::all_reduce(me, 1L, std::plus<>{});
    co_await me.sync(0);
    while (me.receive()) {
    }
    const long before = co_await pleat::scan(me, sum, std::plus<>{});
    static_cast<void>(co_await pleat::broadcast(me, before));
    me.send(1 - me.rank(), sum);
    me.send(1 - me.rank(), sum);
    co_await me.sync(0);
  });
  ASSERT_EQ(costs.supersteps().size(), 5u);
  const std::vector<std::size_t> degrees{1, 1, 1, 1, 2};
  for (std::size_t s = 0; s < degrees.size(); ++s)
    EXPECT_EQ(costs.supersteps()[s].h[1], degrees[s]) << s;
  EXPECT_EQ(costs.messages(), 2u + 2u + 1u + 1u + 4u);
}

TEST(counted_rounds, leave_vps_of_different_clusters_in_any_order) {
  // Messages that were sent before an operation belong to the superstep behind it, to whose
  // barriers the VPs come as the operation lets them go.
  for (const std::size_t v : {4u, 8u, 16u}) {
    for (std::size_t root = 0; root < v; ++root) {
      const cost_trace costs = pleat::evaluate(v, [root](vp& me) -> task<> {
        me.send(me.rank() ^ 1, 1);
        pleat::collective_options options;
        options.root = root;
        long value = 1;
        const std::span<long> word(&value, 1);
        co_await pleat::broadcast(me, word, options);
        co_await me.sync(me.labels() - 1);
      });
      EXPECT_EQ(costs.messages(), v + v - 1) << v << " VPs, root " << root;
      EXPECT_EQ(costs.supersteps().back().h.back(), 1u) << v << " VPs, root " << root;
    }
  }
}

TEST(counted_rounds, are_none_of_one_vp) {
  const cost_trace costs = pleat::evaluate(1, [](vp& me) { return gather_in(me, me.all()); });
  EXPECT_EQ(costs.supersteps().size(), 0u);
}

TEST(counted_rounds, of_some_vps_only_have_no_costs) {
  try {
    static_cast<void>(pleat::evaluate(4, [](vp& me) -> task<> {
      if (me.rank() < 2) {
        task<> gathered = gather_in(me, {0, 2, 1});
        co_await gathered;
      }
      co_await me.sync(0);
    }));
    FAIL() << "no error";
  } catch (const pleat::usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("a round of a collective operation"), std::string::npos)
        << e.what();
  }
}

TEST(counted_rounds, are_counted_again_after_an_operator_has_thrown) {
  pleat::machine machine({.trace = pleat::tracing{}});
  const auto program = [](std::size_t thrower) {
    return [thrower](vp& me) -> task<> {
      const auto add = [thrower, rank = me.rank()](long a, long b) {
        if (rank == thrower) throw std::runtime_error("thrown");
        return a + b;
      };
      me.send(0, 1L);
      const long sum = co_await pleat::all_reduce(me, 1L, add);
      static_cast<void>(sum);
      co_await me.sync(0);
    };
  };
  const cost_trace before = *machine.run(7, program(7)).costs;
  EXPECT_THROW(machine.run(7, program(3)), pleat::vp_failed);
  EXPECT_EQ(pleat::first_difference(before, *machine.run(7, program(7)).costs), std::nullopt);
}

TEST(counted_rounds, can_be_folded_and_routed) {
  const cost_trace kept = pleat::evaluate(8, several, {.messages = true});
  for (unsigned j = 1; j <= kept.labels(); ++j) {
    const pleat::folded_costs folded = pleat::folded(kept, std::size_t{1} << j);
    EXPECT_DOUBLE_EQ(folded.H(0), kept.H(j, 0)) << j;
    EXPECT_DOUBLE_EQ(folded.H(1), kept.H(j, 1)) << j;
  }
  EXPECT_GE(pleat::routed(kept).messages(), kept.messages());
}

TEST(counted_rounds, are_the_same_over_ranks) {
  for (const std::size_t v : {2u, 5u, 8u, 13u}) {
    const cost_trace expected = pleat::evaluate(v, several);
    for (const std::size_t ranks : {2u, 3u}) {
      machine_of_ranks machine(std::vector<unsigned>(ranks, 1), {.trace = pleat::tracing{}});
      const auto all = machine.run(v, several);
      ASSERT_EQ(words_of(all), "") << v;
      for (const pleat::run_report& report : all.reports)
        EXPECT_EQ(pleat::first_difference(expected, *report.costs), std::nullopt) << v;
    }
  }
}

}  // namespace counted_rounds_test
