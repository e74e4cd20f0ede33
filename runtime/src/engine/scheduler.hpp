// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <pleat/runtime/detail/vp_host.hpp>
#include <pleat/runtime/fold.hpp>

#include "mail/mail.hpp"

namespace pleat::detail {

class worker;

/// Scheduler of a worker's virtual processors.
///
/// They run in the order of their ranks, each until its next sync. When the last VP of a cluster
/// inside the worker has come to that cluster's barrier, the cluster continues at once, before any
/// VP behind it: depth-first. The scheduler chooses the VP or the cluster; the worker resumes the
/// VP or releases the cluster.
///
/// Thread safety: one thread.
class scheduler {
 public:
  scheduler(const local_vps& vps, worker& w) noexcept : vps_(vps), worker_(w) {}

  /// Resumes the VPs of `ranks`, and all VPs that can continue after them, until the worker must
  /// wait. `ranks` is the worker's part of a cluster that was released, or one VP. `sent_from`: the
  /// mail's position when the first of these VPs began; invalid if other VPs have run in between.
  void run(rank_range ranks, mail::mark sent_from);

 private:
  /// Consecutive VPs, from `start` on, that all wait at `label` or have ended.
  struct waiting_range {
    unsigned label;
    std::size_t start;
    std::size_t end_of_part;  // end of the worker's part of the label's cluster
    mail::mark sent_from;     // mark before the first of them ran
  };
  class waiting_ranges;

  /// Makes one pass over `ranks`. Returns the range that was released at the end of the pass, if
  /// any.
  [[nodiscard]] rank_range scan(rank_range ranks, mail::mark sent_from);
  /// Releases the cluster of `done`, whose VPs up to `end` − 1 are at its barrier, if its other VPs
  /// are, too. Returns the part of the cluster that can be run again; empty if none can.
  [[nodiscard]] rank_range complete(const waiting_range& done, std::size_t end);
  [[nodiscard]] bool at_barrier(std::size_t rank, unsigned label) const noexcept;
  /// Finds the label of the barrier that can be passed now that all VPs of `ended` have ended;
  /// returns nullopt if there is none.
  [[nodiscard]] std::optional<unsigned> label_around(rank_range ended) const noexcept;
  void prefetch(std::size_t rank) const noexcept;

  const local_vps& vps_;
  worker& worker_;
};

}  // namespace pleat::detail
