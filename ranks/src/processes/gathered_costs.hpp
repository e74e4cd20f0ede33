// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/fold.hpp>

#include "costs/cost_recorder.hpp"
#include "costs/counted_run.hpp"
#include "mail/run_plan.hpp"

namespace pleat::detail {

/// Costs of a run of several processes, which process 0 collects. Each process counts the messages
/// inside it. For a cluster across processes, each process reports the messages of its part at
/// every barrier; when all have reported, the superstep is counted as on one process. At the end
/// each process sends its counts.
///
/// Memory: 16 bytes per message of barriers at which not all processes have arrived.
/// Thread safety: none.
class gathered_costs {
 public:
  /// Begins a run on M(v). `processors`: see tracing.
  gathered_costs(std::size_t v, std::size_t processors, const process_layout& layout)
      : v_(v),
        folding_(v, std::min(v, layout.workers())),
        layout_(layout),
        ends_(layout.processes()) {
    degrees_.start(v, processors);
    sums_.start(v, degrees_.processors());
  }

  /// Takes the messages of one process's part. A process reports its parts in order.
  void add(const part_of_barrier& part, std::span<const counted_messages> messages) {
    cluster& c = find(part);
    if (part.leaves != 0) {
      c.left_from.push_back(part.epoch);
      for (auto at = c.barriers.begin(); at != c.barriers.end();) {
        const bool done = complete(c, at->first, at->second);
        if (done) count(c, at->second);
        at = done ? c.barriers.erase(at) : std::next(at);
      }
      return;
    }
    pending& barrier = c.barriers[part.epoch];
    ++barrier.reports;
    if (!messages.empty()) {
      barrier.superstep = static_cast<std::size_t>(part.superstep);
      barrier.messages.insert(barrier.messages.end(), messages.begin(), messages.end());
    }
    if (!complete(c, part.epoch, barrier)) return;
    count(c, barrier);
    c.barriers.erase(part.epoch);
  }
  /// Takes the counts of a process whose virtual processors have all ended.
  void add_end(std::size_t process, counted_run counted) { ends_[process] = std::move(counted); }
  /// Returns the sum. Requires: add_end was called for all processes.
  [[nodiscard]] counted_run sum() {
    for (const auto& [which, c] : clusters_) {
      for (const auto& [epoch, barrier] : c.barriers) count(c, barrier);
    }
    clusters_.clear();
    for (std::size_t process = 1; process < ends_.size(); ++process) ends_[0].add(ends_[process]);
    // Done last, when all supersteps with their labels are known.
    counted_run& all = ends_[0];
    for (std::size_t s = 0; s < crossed_.size(); ++s) {
      const superstep_degrees& across = crossed_[s];
      for (std::size_t j = 0; j < across.h.size(); ++j)
        all.supersteps[s].h[j] = std::max(all.supersteps[s].h[j], across.h[j]);
      all.supersteps[s].pairs += across.pairs;
    }
    sums_.supersteps.clear();
    all.add(sums_);
    return std::move(all);
  }

 private:
  struct pending {
    std::size_t superstep = 0;
    std::size_t reports = 0;  // number of processes that have reported
    std::vector<counted_messages> messages;
  };
  struct cluster {
    rank_range vps;
    unsigned label = 0;
    std::size_t processes = 0;             // number of processes with a part in it
    std::vector<std::uint64_t> left_from;  // for each process that has left, the epoch
    std::map<std::uint64_t, pending> barriers;
  };

  [[nodiscard]] cluster& find(const part_of_barrier& part) {
    const auto [at, is_new] = clusters_.try_emplace({part.label, part.first});
    cluster& c = at->second;
    if (is_new) {
      c.label = static_cast<unsigned>(part.label);
      c.vps = cluster_of(v_, static_cast<std::size_t>(part.first), c.label);
      const std::size_t first = layout_.process_of(folding_.owner(c.vps.first));
      c.processes = layout_.process_of(folding_.owner(c.vps.last - 1)) + 1 - first;
    }
    return c;
  }
  [[nodiscard]] static bool complete(const cluster& c, std::uint64_t epoch, const pending& p) {
    const auto left = std::ranges::count_if(c.left_from, [&](auto from) { return from <= epoch; });
    return p.reports + static_cast<std::size_t>(left) == c.processes;
  }
  void count(const cluster& c, const pending& barrier) {
    if (barrier.messages.empty()) return;
    if (crossed_.size() <= barrier.superstep) crossed_.resize(barrier.superstep + 1);
    superstep_degrees& superstep = crossed_[barrier.superstep];
    superstep.h.resize(label_count(v_) + std::size_t{1});
    degrees_.count(barrier.messages, c.vps, c.label, superstep, sums_);
  }

  std::size_t v_;
  fold folding_;  // onto the workers of all processes
  const process_layout& layout_;
  degree_counter degrees_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, cluster> clusters_;  // [label, first]
  std::vector<superstep_degrees> crossed_;  // [superstep]: degrees of clusters across processes
  counted_run sums_;                        // sums over their messages
  std::vector<counted_run> ends_;           // [process]
};

}  // namespace pleat::detail
