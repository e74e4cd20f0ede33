// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include <pleat/runtime/detail/vp_state.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

struct memberships;
struct run_plan;

/// The virtual processors of one worker in a run: consecutive ranks, and the clusters that contain
/// them.
struct local_vps {
  std::size_t worker = 0;  // its index
  run_plan* plan = nullptr;
  const fold* folding = nullptr;    // the plan's
  memberships* clusters = nullptr;  // clusters that are shared with other workers
  rank_range ranks;
  std::size_t v = 0;  // of all workers together
  unsigned labels = 1;
  vp_state* first = nullptr;  // state of rank ranks.first; null before the VPs are made
  std::size_t live = 0;       // number of VPs that have not ended

  [[nodiscard]] vp_state& at(std::size_t rank) const noexcept { return first[rank - ranks.first]; }
  [[nodiscard]] bool has_ended(std::size_t rank) const noexcept { return at(rank).ended(); }
  /// VPs of this worker in the label-cluster of `rank`.
  [[nodiscard]] rank_range part_of_cluster(std::size_t rank, unsigned label) const noexcept {
    return intersect(cluster_of(v, rank, label), ranks);
  }
  /// Tells whether a barrier of `label` joins the sender and the receiver. Requires: `r` is not in
  /// an inbox yet, so that its destination is set.
  [[nodiscard]] bool delivers(const record& r, unsigned label) const noexcept {
    return static_cast<unsigned>(std::bit_width(r.source ^ r.destination)) <= labels - label;
  }
  [[nodiscard]] memberships& shared() const noexcept { return *clusters; }
};

}  // namespace pleat::detail
