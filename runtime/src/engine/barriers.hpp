// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <pleat/runtime/detail/vp_host.hpp>

#include "engine/run_state.hpp"

namespace pleat::detail {

/// Barriers of the clusters that one worker shares with others.
///
/// Invariant: a wake-up follows every change for which another member may wait.
class shared_barriers {
 public:
  shared_barriers(run_state& run, const local_vps& vps) noexcept : run_(run), vps_(vps) {}

  /// Announces that the worker's VPs in this cluster have all come to its barrier.
  void arrive(membership& p) noexcept {
    p.waiting = true;
    announce(p, ++p.epoch);
  }
  /// Announces that the worker's VPs in this cluster have all ended: no member waits for this
  /// worker any more.
  void leave(membership& p) noexcept { announce(p, p.end); }

  /// Tells whether the worker waits at this barrier and all members have arrived.
  [[nodiscard]] bool passed(membership& p) noexcept {
    if (p.waiting) return poll(p) >= p.epoch;
    // The VPs of this worker have ended, but other members may need the flags that its polls
    // forward.
    if (p.live == 0 && p.where->barrier.relays()) poll(p);
    return false;
  }
  /// Finds the first barrier that has been passed; returns null if there is none. Polls all
  /// barriers before it.
  [[nodiscard]] membership* passed() noexcept {
    for (membership& p : vps_.shared().all) {
      if (passed(p)) return &p;
    }
    return nullptr;
  }
  /// Tells whether no worker depends on this one's polls any more. Requires that all of its VPs
  /// have ended.
  [[nodiscard]] bool all_left() noexcept {
    bool left = true;
    for (membership& p : vps_.shared().all) {
      if (p.where->barrier.relays()) left &= poll(p) == p.end;
    }
    return left;
  }
  /// Returns the label of a barrier at which this worker waits; the number of labels if there is
  /// none.
  [[nodiscard]] unsigned label_waited_at() const noexcept {
    for (const membership& p : vps_.shared().all) {
      if (p.waiting) return p.where->label;
    }
    return vps_.labels;
  }

  /// Tells whether a poll, since the last reset, has changed a flag for which others may wait.
  [[nodiscard]] bool passed_on() const noexcept { return passed_on_; }
  [[nodiscard]] bool reset_passed_on() noexcept { return std::exchange(passed_on_, false); }

 private:
  void announce(membership& p, std::uint64_t epoch) noexcept {
    p.where->barrier.announce(p.member, epoch);
    wake_members(*p.where);
  }
  std::uint64_t poll(membership& p) noexcept {
    const barrier_progress progress = p.where->barrier.poll(p.member);
    if (progress.passed_on) {
      passed_on_ = true;
      wake_members(*p.where);
    }
    return progress.reached;
  }
  void wake_members(const shared_cluster& cluster) noexcept {
    run_.sleepers.wake(cluster.first_worker, cluster.last_worker, vps_.worker);
  }

  run_state& run_;
  const local_vps& vps_;
  bool passed_on_ = false;
};

}  // namespace pleat::detail
