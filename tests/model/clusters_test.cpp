// SPDX-License-Identifier: Apache-2.0
// Barriers of clusters: who waits for whom, who does not, and in which order one worker goes.
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "over_ranks.hpp"
#include "worker_counts.hpp"

namespace clusters_test {

using pleat::cluster_of, pleat::label_count, pleat::rank_range, pleat::task, pleat::vp;

class clusters : public testing::TestWithParam<unsigned> {
 protected:
  pleat::machine machine{model::over_ranks({.processors = GetParam(), .strict = true})};
};

TEST_P(clusters, go_on_without_waiting_for_other_clusters) {
  for (const std::size_t v : {3, 4, 8, 11, 16, 37, 64}) {
    // The upper half does not start before a message through a channel that VP 0 pushes after its
    // half has done many supersteps: were the halves to wait for each other, nobody would go on.
    machine.run(v, [&](vp& me) -> task<> {
      const rank_range lower = cluster_of(me.size(), 0, 1);
      if (lower.contains(me.rank())) {
        for (int i = 0; i < 20; ++i) co_await me.sync(1);
        if (me.rank() == 0) {
          for (std::size_t q = lower.last; q < me.size(); ++q) co_await me.push(q, 1);
        }
      } else {
        const int go = co_await me.pop<int>(0);
        for (int i = 0; i < 20 * go; ++i) co_await me.sync(1);
      }
      co_await me.sync(0);
    });
  }
}

TEST_P(clusters, order_what_their_members_do) {
  if (model::on_several_ranks()) GTEST_SKIP() << "reads the memory of other virtual processors";
  // Plain memory: barriers alone order the writes of one superstep before the reads of the next.
  for (const std::size_t v : {2, 3, 8, 17, 64}) {
    std::vector<long> x(v, 1), y(v, 0);
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t next = (me.rank() + 1) % me.size();
      for (int i = 0; i < 10; ++i) {
        y[me.rank()] = x[me.rank()] + x[next];
        co_await me.sync(0);
        x[me.rank()] = y[next];
        co_await me.sync(0);
      }
    });
    for (const long value : x) ASSERT_EQ(value, 1024);
  }
}

INSTANTIATE_TEST_SUITE_P(on_workers, clusters, model::worker_counts({1, 2, 3, 5, 8, 17, 64}),
                         [](const auto& p) { return std::to_string(p.param); });

// The order in which a depth-first worker goes through a program whose clusters, after their two
// halves have done the same, each perform one superstep of their own.
void expect_depth_first(std::size_t v, rank_range cluster, unsigned label,
                        std::vector<std::size_t>& order) {
  if (cluster.size() == 0) return;
  if (label == label_count(v)) {
    order.push_back(cluster.first);
    return;
  }
  const rank_range lower = cluster_of(v, cluster.first, label + 1);
  expect_depth_first(v, lower, label + 1, order);
  expect_depth_first(v, {lower.last, cluster.last}, label + 1, order);
  for (std::size_t rank = cluster.first; rank < cluster.last; ++rank) order.push_back(rank);
}

TEST(depth_first_order, finishes_a_cluster_before_the_next_one_starts) {
  pleat::machine machine({.processors = 1});
  for (std::size_t v = 1; v <= 70; ++v) {
    std::vector<std::size_t> order, expected;
    machine.run(v, [&](vp& me) -> task<> {
      order.push_back(me.rank());
      for (unsigned label = me.labels(); label-- > 0;) {
        co_await me.sync(label);
        order.push_back(me.rank());
      }
    });
    expect_depth_first(v, {0, v}, 0, expected);
    ASSERT_EQ(order, expected) << "M(" << v << ")";
  }
}

TEST(depth_first_order, repeats_local_supersteps_before_it_goes_on) {
  pleat::machine machine({.processors = 1});
  std::vector<std::size_t> order, expected;
  machine.run(8, [&](vp& me) -> task<> {
    for (int i = 0; i < 3; ++i) {
      order.push_back(me.rank());
      co_await me.sync(1);
    }
    co_await me.sync(0);
  });
  for (const std::size_t half : {0, 4}) {
    for (int i = 0; i < 3; ++i) {
      for (std::size_t rank = half; rank < half + 4; ++rank) expected.push_back(rank);
    }
  }
  EXPECT_EQ(order, expected);
}

TEST(depth_first_order, holds_on_every_worker_for_the_clusters_inside_it) {
  pleat::machine machine({.processors = 4});
  constexpr std::size_t v = 32;
  std::vector<std::vector<std::size_t>> order(4);
  machine.run(v, [&](vp& me) -> task<> {
    std::vector<std::size_t>& mine = order[me.rank() / 8];
    mine.push_back(me.rank());
    for (unsigned label = me.labels(); label-- > 2;) {
      co_await me.sync(label);
      mine.push_back(me.rank());
    }
  });
  for (std::size_t w = 0; w < 4; ++w) {
    std::vector<std::size_t> expected;
    expect_depth_first(v, {8 * w, 8 * w + 8}, 2, expected);
    EXPECT_EQ(order[w], expected);
  }
}

}  // namespace clusters_test
