// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/runtime/barrier.hpp>
#include <pleat/runtime/detail/mailbox.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

inline constexpr unsigned most_labels = 32;

/// A cluster whose ranks lie on several workers, which meet at its barrier.
///
/// Of the two mailboxes from one member to another, one is filled before an arrival while the other
/// may still be read: a member arrives at epoch e + 2 only after the receiver has arrived at e + 1,
/// and so has taken what belonged to e.
struct shared_cluster {
  shared_cluster(unsigned label_, rank_range ranks_, std::size_t first, std::size_t last)
      : label(label_),
        ranks(ranks_),
        first_worker(first),
        last_worker(last),
        barrier(last - first),
        mailboxes(2 * (last - first) * (last - first)) {}

  [[nodiscard]] mailbox& between(std::size_t from, std::size_t to, std::uint64_t epoch) noexcept {
    const std::size_t n = last_worker - first_worker;
    return mailboxes[2 * ((from - first_worker) * n + (to - first_worker)) + (epoch & 1)];
  }

  unsigned label;
  rank_range ranks;
  std::size_t first_worker, last_worker;  // the members, last excluded
  pleat::barrier barrier;
  std::vector<mailbox> mailboxes;
};

/// One worker's share in such a cluster.
struct membership {
  shared_cluster* where = nullptr;
  rank_range ranks;         // of the worker, in the cluster
  std::size_t member = 0;   // which member of the barrier the worker is
  std::uint64_t epoch = 0;  // how often it has arrived
  std::size_t live = 0;     // of its VPs: not ended
  bool waiting = false;     // arrived, and not yet released
};

/// The clusters that one worker shares with others. Its ranks are consecutive, so of each label
/// there are at most two: one that begins before its first rank, one that ends behind its last.
struct memberships {
  std::vector<membership> all;
  // [label]: index in `all` of the cluster across the lower and the upper border, or −1
  std::array<std::int16_t, most_labels> lower, upper;

  /// Null if the label-cluster of `rank` lies inside the worker.
  [[nodiscard]] membership* find(std::size_t rank, unsigned label) noexcept {
    for (const std::int16_t index : {lower[label], upper[label]}) {
      if (index < 0) continue;
      membership& found = all[static_cast<std::size_t>(index)];
      if (found.ranks.contains(rank)) return &found;
    }
    return nullptr;
  }
};

/// M(v) folded onto the workers: which clusters span several of them. Made once for a v and
/// used again by the next runs with the same v. Clusters that lie inside one worker need no barrier
/// and do not appear.
struct run_plan {
  run_plan(std::size_t v, std::size_t workers_);
  /// Before each run, while no worker takes part in one.
  void reset() noexcept;

  [[nodiscard]] leftover_box& leftovers(std::size_t from, std::size_t to) noexcept {
    return leftovers_[from * workers.size() + to];
  }

  fold folding;
  std::vector<std::unique_ptr<shared_cluster>> clusters;
  std::vector<memberships> workers;  // [worker]

 private:
  std::vector<leftover_box> leftovers_;  // [from][to]
};

}  // namespace pleat::detail
