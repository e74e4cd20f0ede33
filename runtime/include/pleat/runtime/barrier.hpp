// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// Result of a poll of a barrier by one of its members.
struct barrier_progress {
  std::uint64_t reached = 0;  ///< every member has arrived this many times
  bool passed_on = false;     ///< the poll changed a flag that another member may wait for
};

/// Epoch of a member that has left: it counts as arrived at every later epoch.
inline constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();

/// Barrier of n members that separates arriving from waiting, so that a member can do other work in
/// between.
///
/// Every member counts its arrivals. `announce(m, e)` announces that member m has arrived e times;
/// e never decreases. `poll(m)` returns to m how often all members have arrived. A waiting member
/// keeps polling; a member that has left polls until it reads `forever`, because in some barriers
/// (those for which `relays()` is true) a poll forwards the arrivals of others. `arrivals(m)` is
/// the epoch that m has announced. `reset()` starts again at epoch 0; no other thread may poll
/// meanwhile.
///
/// Memory ordering: an announce of epoch e is a release, acquired by every poll that reads ≥ e.
/// Thread safety: announce and poll for one m from one thread at a time; arrivals from any.
/// Throws: constructors std::bad_alloc, all else nothing.
template <class B>
concept split_barrier = requires(B b, std::size_t m, std::uint64_t e) {
  B(std::size_t{});
  { b.members() } -> std::same_as<std::size_t>;
  { b.announce(m, e) } -> std::same_as<void>;
  { b.poll(m) } -> std::same_as<barrier_progress>;
  { b.arrivals(m) } -> std::same_as<std::uint64_t>;
  { b.relays() } -> std::same_as<bool>;
  { b.reset() } -> std::same_as<void>;
};

namespace detail {

/// Counter with one writer, on cache lines of its own.
struct alignas(destructive_distance) epoch_flag {
  std::atomic<std::uint64_t> epoch{0};
};

using epoch_flags = std::vector<epoch_flag>;

inline void reset(epoch_flags& flags) noexcept {
  for (epoch_flag& flag : flags) flag.epoch.store(0, std::memory_order_relaxed);
}

/// Arrivals of the members of a barrier: one flag for each member, which only that member writes.
class arrival_flags {
 public:
  [[nodiscard]] std::size_t members() const noexcept { return own_.size(); }
  [[nodiscard]] std::uint64_t arrivals(std::size_t m) const noexcept {
    return own_[m].epoch.load(std::memory_order_acquire);
  }

 protected:
  explicit arrival_flags(std::size_t n) : own_(n) {}
  void arrive(std::size_t m, std::uint64_t epoch) noexcept {
    own_[m].epoch.store(epoch, std::memory_order_release);  // pairs with the acquires of own_
  }

  epoch_flags own_;
};

}  // namespace detail

/// Flat barrier: one flag per member, which all members read. With two members it is the pairwise
/// exchange. Cost: n(n − 1) transfers of cache lines, which all overlap: about two transfer times.
class flat_barrier : public detail::arrival_flags {
 public:
  explicit flat_barrier(std::size_t n) : arrival_flags(n) {}

  void announce(std::size_t m, std::uint64_t epoch) noexcept { arrive(m, epoch); }
  [[nodiscard]] barrier_progress poll(std::size_t) const noexcept {
    std::uint64_t least = forever;
    for (const detail::epoch_flag& flag : own_)
      least = std::min(least, flag.epoch.load(std::memory_order_acquire));
    return {least, false};
  }
  [[nodiscard]] static bool relays() noexcept { return false; }
  void reset() noexcept { detail::reset(own_); }
};

/// Dissemination barrier: ⌈log2 n⌉ rounds; in round k member m receives from m − 2^k the least
/// epoch of the 2^k members up to m − 2^k. Every flag has one writer and one reader. Cost: n⌈log2
/// n⌉ line transfers in ⌈log2 n⌉ transfer times, without contention for a line.
///
/// Source: Hensgen, Finkel, Manber, "Two Algorithms for Barrier Synchronization" (1988); passing on
/// minima, so that members can leave, is ours.
class PLEAT_API dissemination_barrier : public detail::arrival_flags {
 public:
  explicit dissemination_barrier(std::size_t n);

  void announce(std::size_t m, std::uint64_t epoch) noexcept {
    arrive(m, epoch);
    (void)poll(m);
  }
  [[nodiscard]] barrier_progress poll(std::size_t m) noexcept;
  [[nodiscard]] static bool relays() noexcept { return true; }
  void reset() noexcept {
    detail::reset(own_);
    detail::reset(received_);
  }

 private:
  unsigned rounds_;
  detail::epoch_flags received_;  // [round * n + member], written by member − 2^round
};

/// Tree barrier: a tree of fan-in 4 combines the least epoch towards member 0, which announces it
/// on one line that all members read. Members with neighbouring ranks, which are close in the
/// machine, are combined first. Cost: 2(n − 1) line transfers in about ⌈log4 n⌉ + 1 transfer times
/// and the fan-out of one line.
///
/// Source: Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization on Shared-Memory
/// Multiprocessors" (1991): the arrival tree and the wake-up on one flag; passing up minima, so
/// that members can leave, is ours.
class PLEAT_API tree_barrier : public detail::arrival_flags {
 public:
  static constexpr std::size_t fan_in = 4;

  explicit tree_barrier(std::size_t n) : arrival_flags(n), subtree_(n), all_(1) {}

  void announce(std::size_t m, std::uint64_t epoch) noexcept {
    arrive(m, epoch);
    (void)poll(m);
  }
  [[nodiscard]] barrier_progress poll(std::size_t m) noexcept;
  [[nodiscard]] static bool relays() noexcept { return true; }
  void reset() noexcept {
    detail::reset(own_);
    detail::reset(subtree_);
    detail::reset(all_);
  }

 private:
  detail::epoch_flags subtree_;  // [m]: the least epoch of m and those below it, written by m
  detail::epoch_flags all_;      // the least of all, written by member 0
};

static_assert(split_barrier<flat_barrier> && split_barrier<dissemination_barrier> &&
              split_barrier<tree_barrier>);

/// Barrier that suits n members: flat up to 4 members, where one exchange is faster than two
/// rounds; dissemination up to 16, because it has the shortest chain of transfers; the tree above,
/// because its traffic grows linearly. The limits follow from the costs above.
class PLEAT_API barrier {
 public:
  explicit barrier(std::size_t n);

  [[nodiscard]] std::size_t members() const {
    return std::visit([](const auto& b) { return b.members(); }, kind_);
  }
  void announce(std::size_t m, std::uint64_t epoch) noexcept {
    if (auto* flat = std::get_if<flat_barrier>(&kind_)) return flat->announce(m, epoch);
    std::visit([&](auto& b) { b.announce(m, epoch); }, kind_);
  }
  [[nodiscard]] barrier_progress poll(std::size_t m) noexcept {
    if (auto* flat = std::get_if<flat_barrier>(&kind_)) return flat->poll(m);
    return std::visit([&](auto& b) { return b.poll(m); }, kind_);
  }
  [[nodiscard]] std::uint64_t arrivals(std::size_t m) const noexcept {
    return std::visit([&](const auto& b) { return b.arrivals(m); }, kind_);
  }
  [[nodiscard]] bool relays() const noexcept {
    return std::visit([](const auto& b) { return b.relays(); }, kind_);
  }
  void reset() noexcept {
    std::visit([](auto& b) { b.reset(); }, kind_);
  }

 private:
  std::variant<flat_barrier, dissemination_barrier, tree_barrier> kind_;
};
static_assert(split_barrier<barrier>);

}  // namespace pleat
