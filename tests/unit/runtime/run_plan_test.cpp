// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/run_plan.hpp>

namespace {

using pleat::cluster_of;
using pleat::label_count;
using pleat::rank_range;
using pleat::detail::meeting;
using pleat::detail::part;
using pleat::detail::run_plan;

void for_all_foldings(const std::function<void(std::size_t v, run_plan& plan)>& check) {
  for (std::size_t v = 1; v <= 70; ++v) {
    for (std::size_t workers = 1; workers <= std::min<std::size_t>(v, 20); ++workers) {
      SCOPED_TRACE("M(" + std::to_string(v) + ") on " + std::to_string(workers));
      run_plan plan(v, workers);
      check(v, plan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

std::size_t meetings_at(const run_plan& plan, rank_range ranks, unsigned label) {
  return static_cast<std::size_t>(
      std::count_if(plan.meetings.begin(), plan.meetings.end(),
                    [&](const auto& m) { return m->label == label && m->ranks == ranks; }));
}

TEST(run_plan, has_one_meeting_for_every_cluster_that_spans_workers_and_no_others) {
  for_all_foldings([](std::size_t v, run_plan& plan) {
    std::size_t expected = 0;
    for (unsigned label = 0; label < label_count(v); ++label) {
      for (std::size_t first = 0; first < v;) {
        const rank_range cluster = cluster_of(v, first, label);
        const bool spans =
            plan.folding.owner(cluster.first) != plan.folding.owner(cluster.last - 1);
        expected += spans;
        ASSERT_EQ(meetings_at(plan, cluster, label), spans ? 1u : 0u);
        first = cluster.last;
      }
    }
    ASSERT_EQ(plan.meetings.size(), expected);
  });
}

TEST(run_plan, sends_to_a_meeting_exactly_the_workers_that_have_ranks_of_its_cluster) {
  for_all_foldings([](std::size_t, run_plan& plan) {
    for (const auto& m : plan.meetings) {
      ASSERT_EQ(m->first_worker, plan.folding.owner(m->ranks.first));
      ASSERT_EQ(m->last_worker, plan.folding.owner(m->ranks.last - 1) + 1);
      ASSERT_EQ(m->gate.members(), m->last_worker - m->first_worker);
    }
  });
}

TEST(run_plan, gives_each_worker_its_part_of_each_of_its_meetings) {
  for_all_foldings([](std::size_t, run_plan& plan) {
    plan.reset();
    std::size_t parts = 0, members = 0;
    for (const auto& m : plan.meetings) members += m->gate.members();
    for (std::size_t w = 0; w < plan.shares.size(); ++w) {
      for (const part& p : plan.shares[w].parts) {
        ++parts;
        ASSERT_EQ(p.member, w - p.where->first_worker);
        ASSERT_EQ(p.ranks, intersect(p.where->ranks, plan.folding.ranks(w)));
        ASSERT_EQ(p.live, p.ranks.size());
        ASSERT_GT(p.live, 0u);
        ASSERT_FALSE(p.waiting);
        ASSERT_EQ(p.epoch, 0u);
      }
    }
    ASSERT_EQ(parts, members);
  });
}

TEST(run_plan, finds_the_part_of_a_rank_by_its_label) {
  for_all_foldings([](std::size_t v, run_plan& plan) {
    for (std::size_t rank = 0; rank < v; ++rank) {
      const auto& share = plan.shares[plan.folding.owner(rank)];
      for (unsigned label = 0; label < label_count(v); ++label) {
        const part* found = nullptr;
        for (const int index : {int{share.lower[label]}, int{share.upper[label]}}) {
          if (index >= 0 && share.parts[static_cast<std::size_t>(index)].ranks.contains(rank))
            found = &share.parts[static_cast<std::size_t>(index)];
        }
        const rank_range cluster = cluster_of(v, rank, label);
        const bool local = plan.folding.ranks(plan.folding.owner(rank)).covers(cluster);
        ASSERT_EQ(found == nullptr, local) << "rank " << rank << ", label " << label;
        if (found != nullptr) {
          ASSERT_EQ(found->where->ranks, cluster);
          ASSERT_EQ(found->where->label, label);
        }
      }
    }
  });
}

TEST(run_plan, is_as_new_after_a_reset) {
  run_plan plan(23, 5);
  for (auto& share : plan.shares) {
    for (part& p : share.parts) {
      p.epoch = 7;
      p.live = 0;
      p.waiting = true;
      p.where->gate.announce(p.member, pleat::forever);
    }
  }
  plan.reset();
  for (auto& share : plan.shares) {
    for (part& p : share.parts) {
      EXPECT_EQ(p.epoch, 0u);
      EXPECT_EQ(p.live, p.ranks.size());
      EXPECT_FALSE(p.waiting);
      EXPECT_EQ(p.where->gate.arrivals(p.member), 0u);
      EXPECT_EQ(p.where->gate.look(p.member).reached, 0u);
    }
  }
}

TEST(meeting, has_two_parcels_of_its_own_for_every_pair_used_in_turn) {
  meeting m(0, {0, 40}, 3, 8);
  std::set<const pleat::detail::parcel*> all;
  for (std::size_t from = 3; from < 8; ++from) {
    for (std::size_t to = 3; to < 8; ++to) {
      EXPECT_NE(&m.between(from, to, 1), &m.between(from, to, 2));
      EXPECT_EQ(&m.between(from, to, 1), &m.between(from, to, 3));
      EXPECT_EQ(&m.between(from, to, 2), &m.between(from, to, 4));
      all.insert(&m.between(from, to, 1));
      all.insert(&m.between(from, to, 2));
    }
  }
  EXPECT_EQ(all.size(), 2u * 5 * 5);
}

}  // namespace
