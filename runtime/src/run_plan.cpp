// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/detail/run_plan.hpp>

namespace pleat::detail {

run_plan::run_plan(std::size_t v, std::size_t workers_)
    : folding(v, workers_), workers(workers_), leftovers_(workers_ * workers_) {
  for (memberships& s : workers) {
    s.lower.fill(-1);
    s.upper.fill(-1);
  }
  for (unsigned label = 0; label < label_count(v); ++label) {
    for (std::size_t w = 0; w + 1 < workers_;) {
      // The cluster across the border between w and w + 1, if there is one.
      const rank_range cluster = cluster_of(v, folding.ranks(w).last - 1, label);
      const std::size_t last = folding.owner(cluster.last - 1) + 1;
      if (last == w + 1) {
        ++w;
        continue;
      }
      const std::size_t first = folding.owner(cluster.first);
      clusters.push_back(std::make_unique<shared_cluster>(label, cluster, first, last));
      for (std::size_t member = first; member < last; ++member) {
        memberships& s = workers[member];
        const auto index = static_cast<std::int16_t>(s.all.size());
        const rank_range ranks = intersect(cluster, folding.ranks(member));
        s.all.push_back({clusters.back().get(), ranks, member - first, 0, 0, false});
        if (member > first) s.lower[label] = index;
        if (member + 1 < last) s.upper[label] = index;
      }
      w = last - 1;
    }
  }
}

void run_plan::reset() noexcept {
  for (const auto& cluster : clusters) cluster->barrier.reset();
  for (memberships& s : workers) {
    for (membership& p : s.all) {
      p.epoch = 0;
      p.live = p.ranks.size();
      p.waiting = false;
    }
  }
}

}  // namespace pleat::detail
