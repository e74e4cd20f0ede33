// SPDX-License-Identifier: Apache-2.0
#include "mail/run_plan.hpp"

#include <algorithm>
#include <utility>

namespace pleat::detail {

run_plan::run_plan(std::size_t v, const process_layout& all, const remote_part_maker& make_part)
    : folding(v, std::min(v, all.workers())), first_worker(all.first_worker(all.self())) {
  const std::size_t processors = folding.processors();
  const std::size_t behind_here =
      std::min(processors, first_worker + all.workers_of(all.self()));  // the first worker
  const std::size_t here = behind_here > first_worker ? behind_here - first_worker : 0;
  workers.resize(std::max<std::size_t>(here, 1));  // worker 0 exists even if it has no VPs
  left_ = std::vector<leftovers<leftover>>(workers.size());
  for (memberships& s : workers) {
    s.lower.fill(-1);
    s.upper.fill(-1);
  }
  if (here == 0) return;
  for (unsigned label = 0; label < label_count(v); ++label) {
    // Goes from the border before this process's first worker to the border behind its last.
    for (std::size_t w = first_worker == 0 ? 0 : first_worker - 1;
         w < behind_here && w + 1 < processors;) {
      // The cluster across the border between w and w + 1, if there is one.
      const rank_range cluster = cluster_of(v, folding.ranks(w).last - 1, label);
      const std::size_t last = folding.owner(cluster.last - 1) + 1;
      if (last == w + 1) {
        ++w;
        continue;
      }
      const std::size_t first = folding.owner(cluster.first);
      const std::size_t first_here = std::max(first, first_worker);
      const std::size_t last_here = std::min(last, behind_here);
      std::unique_ptr<remote_part> beyond;
      if (first != first_here || last != last_here)
        beyond = make_part(first, last, last_here - first_here);
      clusters.push_back(std::make_unique<shared_cluster>(
          label, cluster, first_here - first_worker, last_here - first_worker, std::move(beyond)));
      if (clusters.back()->beyond != nullptr) crossings.push_back(clusters.back().get());
      for (std::size_t member = first_here; member < last_here; ++member) {
        memberships& s = workers[member - first_worker];
        const auto index = static_cast<std::int16_t>(s.all.size());
        const rank_range ranks = intersect(cluster, folding.ranks(member));
        s.all.push_back({clusters.back().get(), ranks, member - first_here});
        if (member > first) s.lower[label] = index;
        if (member + 1 < last) s.upper[label] = index;
      }
      w = last - 1;
    }
  }
}

std::uint64_t run_plan::begin_run() {
  // Drops messages of other processes that arrived after the last run ended here.
  for (shared_cluster* const m : crossings) m->beyond->begin();
  for (std::size_t to = 0; !crossings.empty() && to < workers.size(); ++to) left(to).clear();
  if (first_epoch_ > forever - 2 * epochs_of_run) {
    for (const auto& cluster : clusters) cluster->barrier.reset();
    first_epoch_ = 0;
  }
  return std::exchange(first_epoch_, first_epoch_ + epochs_of_run);
}

}  // namespace pleat::detail
