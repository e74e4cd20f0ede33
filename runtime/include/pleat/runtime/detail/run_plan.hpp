// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/barrier.hpp>
#include <pleat/runtime/detail/outbox.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

inline constexpr unsigned most_labels = 32;

/// What one worker hands another at one barrier: a line of its own for little, a buffer for more.
struct alignas(destructive_distance) parcel {
  static constexpr std::size_t small = 40;

  std::atomic<std::uint64_t> epoch{0};  // of the barrier; 0: taken
  std::size_t bytes = 0;
  const std::byte* large = nullptr;  // null: `inlined` has the bytes
  alignas(8) std::byte inlined[small];
  byte_buffer buffer;  // the sender's; where `large` points

  [[nodiscard]] const std::byte* data() const noexcept {
    return large != nullptr ? large : inlined;
  }
};
static_assert(offsetof(parcel, buffer) == cache_line, "what the receiver reads is one line");

/// A cluster whose ranks lie on several workers: where those workers meet.
///
/// Of the two parcels from one member to another, one is filled before an arrival while the other
/// may still be read: a member arrives at epoch e + 2 only after the receiver has arrived at e + 1,
/// and so has taken what belonged to e.
struct meeting {
  meeting(unsigned label_, rank_range ranks_, std::size_t first, std::size_t last)
      : label(label_),
        ranks(ranks_),
        first_worker(first),
        last_worker(last),
        gate(last - first),
        parcels(2 * (last - first) * (last - first)) {}

  [[nodiscard]] parcel& between(std::size_t from, std::size_t to, std::uint64_t epoch) noexcept {
    const std::size_t n = last_worker - first_worker;
    return parcels[2 * ((from - first_worker) * n + (to - first_worker)) + (epoch & 1)];
  }

  unsigned label;
  rank_range ranks;
  std::size_t first_worker, last_worker;  // the members, last excluded
  barrier gate;
  std::vector<parcel> parcels;
};

/// One worker's share in a meeting.
struct part {
  meeting* where = nullptr;
  rank_range ranks;         // of the worker, in the cluster
  std::size_t member = 0;   // which member of the gate the worker is
  std::uint64_t epoch = 0;  // how often it has arrived
  std::size_t live = 0;     // of its VPs: not terminated
  bool waiting = false;     // arrived, and not yet released
};

/// M(v) folded onto the workers: which clusters span several of them. Made once for a v and
/// used again by the next runs with the same v.
///
/// A worker's ranks are consecutive, so of the clusters of one label at most two span its borders:
/// one that begins before its first rank, one that ends behind its last. Clusters that lie inside
/// one worker need no barrier and do not appear.
struct run_plan {
  struct share {
    std::vector<part> parts;
    // [label]: index in `parts` of the cluster across the lower and the upper border, or −1
    std::array<std::int16_t, most_labels> lower, upper;
  };

  run_plan(std::size_t v, std::size_t workers);
  /// Before each run, while no worker takes part in one.
  void reset() noexcept;

  fold folding;
  std::vector<std::unique_ptr<meeting>> meetings;
  std::vector<share> shares;  // one a worker
};

}  // namespace pleat::detail
