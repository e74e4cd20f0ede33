// SPDX-License-Identifier: Apache-2.0
// Barriers of clusters: who waits for whom, who does not, and in which order one worker goes.
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>

#include "over_ranks.hpp"
#include "worker_counts.hpp"

namespace clusters_test {

using pleat::cluster_of;
using pleat::label_count;
using pleat::rank_range;
using pleat::task;
using pleat::vp;

/// Numbers of arrivals of the members of every cluster at its barrier.
class arrivals {
 public:
  arrivals(std::size_t v, rank_range here) : v_(v), here_(here), counts_(v * label_count(v)) {}

  void arrive(std::size_t rank, unsigned label) { ++at(rank, label); }
  long arrived(std::size_t rank, unsigned label) { return at(rank, label); }
  long members(std::size_t rank, unsigned label) const {
    return static_cast<long>(intersect(cluster_of(v_, rank, label), here_).size());
  }

 private:
  std::atomic<long>& at(std::size_t rank, unsigned label) {
    return counts_[label * v_ + cluster_of(v_, rank, label).first];
  }
  std::size_t v_;
  rank_range here_;  // the virtual processors that arrive in this process
  std::vector<std::atomic<long>> counts_;
};

class clusters : public testing::TestWithParam<unsigned> {
 protected:
  pleat::machine machine{model::over_ranks({.processors = GetParam(), .strict = true})};
};

TEST_P(clusters, hold_each_member_until_all_have_arrived) {
  for (std::size_t v = 1; v <= 70; v += v < 20 ? 1 : 5) {
    arrivals count(v, machine.vps_here(v));
    std::atomic<int> early{0};
    machine.run(v, [&](vp& me) -> task<> {
      std::vector<long> rounds(me.labels(), 0);
      for (int pass = 0; pass < 2; ++pass) {
        for (unsigned i = 0; i < 2 * me.labels(); ++i) {
          const unsigned label = i < me.labels() ? i : 2 * me.labels() - 1 - i;
          count.arrive(me.rank(), label);
          ++rounds[label];
          co_await me.sync(label);
          early +=
              count.arrived(me.rank(), label) < rounds[label] * count.members(me.rank(), label);
        }
      }
    });
    ASSERT_EQ(early, 0) << "M(" << v << ")";
  }
}

TEST_P(clusters, do_different_numbers_of_finer_supersteps_before_they_meet) {
  for (std::size_t v = 2; v <= 70; v += v < 20 ? 1 : 5) {
    const rank_range here = machine.vps_here(v);
    std::vector<std::atomic<long>> steps(v);
    std::atomic<int> wrong{0};
    machine.run(v, [&](vp& me) -> task<> {
      for (int round = 0; round < 3; ++round) {
        for (unsigned label = me.labels(); label-- > 1;) {
          // As many as the cluster's number says, alone.
          const rank_range mine = cluster_of(me.size(), me.rank(), label);
          const long times = static_cast<long>((mine.first * 7 + label + 3) % 5);
          for (long i = 0; i < times; ++i) {
            ++steps[me.rank()];
            co_await me.sync(label);
          }
        }
        ++steps[me.rank()];
        co_await me.sync(0);
        const std::size_t lowest = me.rank() & ~std::size_t{1};  // of my finest cluster
        wrong += here.contains(lowest) && steps[lowest] < 1;
        co_await me.sync(0);
      }
    });
    for (std::size_t rank = here.first; rank < here.last; ++rank) {
      long expected = 3;
      for (unsigned label = label_count(v); label-- > 1;) {
        const rank_range mine = cluster_of(v, rank, label);
        expected += 3 * static_cast<long>((mine.first * 7 + label + 3) % 5);
      }
      ASSERT_EQ(steps[rank], expected) << "VP " << rank << " of M(" << v << ")";
    }
    ASSERT_EQ(wrong, 0);
  }
}

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

TEST_P(clusters, count_virtual_processors_that_ended_as_arrived) {
  for (std::size_t v = 1; v <= 70; v += v < 20 ? 1 : 5) {
    std::vector<long> done(v, 0);
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t rounds = me.rank() * 5 % me.size();
      for (std::size_t i = 0; i < rounds; ++i) {
        co_await me.sync(static_cast<unsigned>(i) % me.labels());
        ++done[me.rank()];
      }
    });
    const rank_range here = machine.vps_here(v);
    for (std::size_t rank = here.first; rank < here.last; ++rank)
      ASSERT_EQ(done[rank], static_cast<long>(rank * 5 % v));
  }
}

TEST_P(clusters, whose_members_all_ended_hold_up_nobody) {
  for (const std::size_t v : {2, 5, 8, 33, 64}) {
    for (std::size_t survivor : {std::size_t{0}, v / 2, v - 1}) {
      long done = 0;
      machine.run(v, [&](vp& me) -> task<> {
        if (me.rank() != survivor) co_return;
        for (int i = 0; i < 30; ++i) {
          co_await me.sync(static_cast<unsigned>(i) % me.labels());
          ++done;
        }
      });
      ASSERT_EQ(done, machine.vps_here(v).contains(survivor) ? 30 : 0);
    }
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

TEST_P(clusters, of_every_size_of_machine_synchronise) {
  std::vector<std::size_t> sizes;
  for (std::size_t v = 1; v <= 70; ++v) sizes.push_back(v);
  for (const std::size_t v : {128, 1000, 4096, 1 << 16}) sizes.push_back(v);
  for (const std::size_t v : sizes) {
    std::vector<long> sum(v, 1);
    const pleat::run_report report = machine.run(v, [&](vp& me) -> task<> {
      // Hillis-Steele.
      for (std::size_t d = 1; d < me.size(); d *= 2) {
        if (me.rank() + d < me.size()) me.send(me.rank() + d, sum[me.rank()]);
        co_await me.sync(0);
        const auto m = me.receive();
        if (m) sum[me.rank()] += m->get<long>();
      }
    });
    const rank_range here = machine.vps_here(v);
    for (std::size_t rank = here.first; rank < here.last; ++rank)
      ASSERT_EQ(sum[rank], static_cast<long>(rank + 1)) << "M(" << v << ")";
    ASSERT_EQ(report.supersteps[0], v == 1 ? 0u : label_count(v));
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
