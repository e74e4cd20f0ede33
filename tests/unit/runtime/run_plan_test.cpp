// SPDX-License-Identifier: Apache-2.0
#include "mail/run_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace run_plan_test {

using pleat::cluster_of, pleat::label_count, pleat::rank_range, pleat::detail::membership;
using pleat::detail::run_plan;

void for_all_foldings(const std::function<void(std::size_t v, run_plan& plan)>& check) {
  for (std::size_t v = 1; v <= 40; ++v) {
    for (std::size_t workers = 1; workers <= std::min<std::size_t>(v, 12); ++workers) {
      SCOPED_TRACE("M(" + std::to_string(v) + ") on " + std::to_string(workers));
      run_plan plan(v, workers);
      check(v, plan);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

std::size_t clusters_at(const run_plan& plan, rank_range ranks, unsigned label) {
  return static_cast<std::size_t>(
      std::count_if(plan.clusters.begin(), plan.clusters.end(),
                    [&](const auto& m) { return m->label == label && m->ranks == ranks; }));
}

TEST(run_plan, has_every_cluster_that_spans_workers_once_and_no_others) {
  for_all_foldings([](std::size_t v, run_plan& plan) {
    std::size_t expected = 0;
    for (unsigned label = 0; label < label_count(v); ++label) {
      for (std::size_t first = 0; first < v;) {
        const rank_range cluster = cluster_of(v, first, label);
        const bool spans =
            plan.folding.owner(cluster.first) != plan.folding.owner(cluster.last - 1);
        expected += spans;
        ASSERT_EQ(clusters_at(plan, cluster, label), spans ? 1u : 0u);
        first = cluster.last;
      }
    }
    ASSERT_EQ(plan.clusters.size(), expected);
  });
}

TEST(run_plan, sends_to_a_cluster_exactly_the_workers_that_have_ranks_of_it) {
  for_all_foldings([](std::size_t, run_plan& plan) {
    for (const auto& m : plan.clusters) {
      ASSERT_EQ(m->first_worker, plan.folding.owner(m->ranks.first));
      ASSERT_EQ(m->last_worker, plan.folding.owner(m->ranks.last - 1) + 1);
      ASSERT_EQ(m->barrier.members(), m->last_worker - m->first_worker);
    }
  });
}

TEST(run_plan, gives_each_worker_a_membership_in_each_of_its_clusters) {
  for_all_foldings([](std::size_t, run_plan& plan) {
    const std::uint64_t first = plan.begin_run();
    std::size_t memberships = 0, members = 0;
    for (const auto& m : plan.clusters) members += m->barrier.members();
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      for (membership& p : plan.workers[w].all) {
        p.begin(first);
        ++memberships;
        ASSERT_EQ(p.member, w - p.where->first_worker);
        ASSERT_EQ(p.ranks, intersect(p.where->ranks, plan.folding.ranks(w)));
        ASSERT_EQ(p.live, p.ranks.size());
        ASSERT_GT(p.live, 0u);
        ASSERT_FALSE(p.waiting);
        ASSERT_EQ(p.epoch, first);
      }
    }
    ASSERT_EQ(memberships, members);
  });
}

TEST(run_plan, finds_the_membership_of_a_rank_by_its_label) {
  for_all_foldings([](std::size_t v, run_plan& plan) {
    for (std::size_t rank = 0; rank < v; ++rank) {
      auto& worker = plan.workers[plan.folding.owner(rank)];
      for (unsigned label = 0; label < label_count(v); ++label) {
        const membership* found = worker.find(rank, label);
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

TEST(run_plan, begins_at_zero_again_before_its_epochs_end) {
  run_plan plan(4, 2);
  std::uint64_t last = 0;
  for (std::uint64_t run = 0; run < (std::uint64_t{1} << 17); ++run) {
    const std::uint64_t first = plan.begin_run();
    ASSERT_LT(first, first + pleat::detail::epochs_of_run);
    for (auto& worker : plan.workers) {
      for (membership& p : worker.all) {
        p.begin(first);
        ASSERT_LE(p.where->barrier.arrivals(p.member), first);
        p.where->barrier.announce(p.member, p.end);
      }
    }
    last = std::max(last, first);
  }
  EXPECT_GT(last, std::uint64_t{1} << 62);
}

}  // namespace run_plan_test
