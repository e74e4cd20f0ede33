// SPDX-License-Identifier: Apache-2.0
// The ascend-descend protocol: its supersteps and their degrees, and what it saves on a machine
// whose bandwidth falls towards the root.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/evaluate.hpp>

#include "failures.hpp"

namespace routing_test {

using pleat::cost_trace, pleat::machine, pleat::routing, pleat::task, pleat::vp;

constexpr pleat::evaluation_options routed{.routing = routing::ascend_descend};

/// VP 0 sends `messages` to the first VP beyond the halves of its label-cluster.
auto one_sends(unsigned label, std::size_t messages) {
  return [=](vp& me) -> task<> {
    const std::size_t far = std::size_t{1} << (me.labels() - 1 - label);
    if (me.rank() == 0) {
      for (std::size_t m = 0; m < messages; ++m) me.send(far, m);
    }
    co_await me.sync(label);
    if (me.rank() != far) co_return;
    for (std::size_t m = 0; m < messages; ++m) EXPECT_EQ(me.receive()->get<std::size_t>(), m);
    EXPECT_FALSE(me.receive());
  };
}

TEST(ascend_descend, makes_the_supersteps_of_lemma_7_of_one) {
  for (unsigned labels = 1; labels <= 7; ++labels) {
    for (unsigned i = 0; i < labels; ++i) {
      const cost_trace costs = pleat::evaluate(std::size_t{1} << labels, one_sends(i, 3), routed);
      for (unsigned k = 0; k < labels; ++k) {
        // Tallies of the i-cluster, of i < j ≤ k when ascending and i ≤ j ≤ k when descending: two
        // k-supersteps each. And messages that move, once each way.
        const unsigned tallies = 1 + (k - i) + (k - i + 1), moves = k > i ? 2 : 1;
        EXPECT_EQ(costs.S(k), k < i ? 0 : 2 * tallies + moves) << "L " << labels << " i " << i;
      }
    }
  }
}

TEST(ascend_descend, makes_the_same_supersteps_where_nothing_was_sent) {
  for (const unsigned i : {0u, 2u, 4u}) {
    const auto silent = [i](vp& me) -> task<> { co_await me.sync(i); };
    const cost_trace costs = pleat::evaluate(32, silent, routed);
    const cost_trace busy = pleat::evaluate(32, one_sends(i, 3), routed);
    for (unsigned k = 0; k < 5; ++k) EXPECT_EQ(costs.S(k), busy.S(k)) << k;
    EXPECT_GT(costs.S(4), 0u);
  }
}

TEST(ascend_descend, moves_in_degrees_as_small_as_lemma_7_says) {
  // A random unbalanced superstep: few VPs have much to send, few receive much.
  constexpr unsigned labels = 7;
  constexpr std::size_t v = 1 << labels;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto program = [seed](vp& me) -> task<> {
      std::mt19937_64 random(seed * v + me.rank());
      const std::size_t messages = random() % 8 == 0 ? random() % 500 : random() % 3;
      for (std::size_t m = 0; m < messages; ++m) me.send(random() % 4 * random() % v, m);
      co_await me.sync(0);
    };
    const auto h = pleat::evaluate(v, program).supersteps()[0].h;
    const auto per_vp = [&](unsigned j) {  // h(2^j), spread over a j-cluster
      return j > labels ? 0 : (h[j] + (v >> j) - 1) / (v >> j);
    };
    std::vector<std::uint64_t> largest(labels, 0);
    const cost_trace costs = pleat::evaluate(v, program, routed);
    for (const auto& s : costs.supersteps())
      largest[s.label] = std::max(largest[s.label], s.h[labels]);
    for (unsigned k = 0; k < labels; ++k) {
      // Ascending a VP gives away what its (k+1)-cluster had, or takes its share of the
      // k-cluster's; descending it holds what came for and from a k-cluster, and its half gets what
      // is for it.
      const std::uint64_t bound = 2 * std::max(k == 0 ? 0 : per_vp(k), per_vp(k + 1)) + 2;
      EXPECT_LE(largest[k], bound) << "k " << k << " seed " << seed;
    }
  }
}

TEST(ascend_descend, costs_less_where_bandwidth_grows_towards_the_leaves) {
  constexpr unsigned labels = 8;
  std::vector<double> g(labels), l(labels);  // a geometric D-BSP
  for (unsigned i = 0; i < labels; ++i) {
    g[i] = std::exp2(0.5 * (labels - i));
    l[i] = std::exp2(0.6 * (labels - i));
  }
  const auto cost = [&](std::size_t messages, const pleat::evaluation_options& options) {
    return pleat::evaluate(1 << labels, one_sends(0, messages), options).D(labels, g, l);
  };
  // n messages through VP 0's only door cost n·g_0; spread, each level has its own doors.
  const double direct = cost(1 << 14, {}), spread = cost(1 << 14, routed);
  EXPECT_LT(spread, direct / 2);
  // The gain tends to a constant that the latencies do not touch.
  EXPECT_NEAR(cost(1 << 16, {}) / cost(1 << 16, routed), direct / spread, 0.2 * direct / spread);
  // A message alone pays for a protocol it did not need.
  EXPECT_GT(cost(1, routed), cost(1, {}));
  std::cout << "2^14 messages: direct " << direct << ", spread " << spread << '\n';
}

TEST(ascend_descend, counts_no_dummies) {
  EXPECT_THROW((void)pleat::evaluate(4, one_sends(0, 1),
                                     {.dummies = true, .routing = routing::ascend_descend}),
               pleat::usage_error);
}

}  // namespace routing_test
