// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <linux/futex.h>
#include <sched.h>
#include <span>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include <pleat/runtime/detail/threads.hpp>

#include "collectives/collective.hpp"

namespace pleat::bench {

/// Order of rank 0 to all ranks.
struct mpi_order {
  enum class kind : std::uint32_t { verify, time, end };

  kind what = kind::end;
  collective one;
  std::uint32_t repetitions = 0;
  std::uint64_t seed = 0;
};

/// Memory that all ranks of one run share: orders, a barrier of our own, and each rank's results.
///
/// MPI's own operations are unsuitable. MPI_Bcast spins, but a rank that waits for an order must
/// leave its processor to other libraries. MPI_Barrier differs between MPIs, but the barrier before
/// a timed operation must be the same for every MPI.
class control_block {
 public:
  /// Requires: `memory` of bytes_for(ranks), all zero, aligned to 128, the same for all ranks.
  /// `yields`: a waiting rank yields its processor, because ranks share processors.
  control_block(std::span<std::byte> memory, std::size_t ranks, std::size_t rank, bool yields)
      : header_(reinterpret_cast<header*>(memory.data())),
        lines_(reinterpret_cast<rank_line*>(memory.data() + sizeof(header))),
        ranks_(ranks),
        rank_(rank),
        yields_(yields) {}
  [[nodiscard]] static std::size_t bytes_for(std::size_t ranks) {
    return sizeof(header) + ranks * sizeof(rank_line);
  }

  /// Posts an order and wakes all other ranks. Called by rank 0. Requires: all ranks have reached
  /// the last barrier of the previous order.
  void post(const mpi_order& order) {
    header_->order = order;
    header_->orders.store(++orders_, std::memory_order_release);  // pairs with the acquire in next
    shared_futex(header_->orders, FUTEX_WAKE, INT_MAX);
  }
  /// Sleeps in the kernel until there is a new order, and returns it. Called by all other ranks.
  [[nodiscard]] mpi_order next() {
    // acquire: pairs with the release in post
    while (header_->orders.load(std::memory_order_acquire) == orders_)
      shared_futex(header_->orders, FUTEX_WAIT, orders_);
    ++orders_;
    return header_->order;
  }

  /// Waits until all ranks have called it; spins. Writes before the call are visible to all ranks
  /// after it.
  void barrier() {
    ++epoch_;
    // Pairs with the acquire below: writes before the barrier are visible after it.
    lines_[rank_].arrived.store(epoch_, std::memory_order_release);
    for (const rank_line& other : lines()) {
      while (other.arrived.load(std::memory_order_acquire) < epoch_) {
        if (yields_)
          ::sched_yield();
        else
          detail::relax();
      }
    }
  }

  /// Stores the seconds of this rank, which rank 0 reads after a barrier.
  void tell_seconds(double seconds) { lines_[rank_].seconds = seconds; }
  void tell_fault(std::string_view fault) {
    auto& place = lines_[rank_].fault;
    const std::size_t length = std::min(fault.size(), place.size() - 1);
    std::ranges::copy(fault.substr(0, length), place.begin());
    place[length] = '\0';
  }
  [[nodiscard]] double slowest() const {
    double seconds = 0;
    for (const rank_line& one : lines()) seconds = std::max(seconds, one.seconds);
    return seconds;
  }
  /// Returns the fault of the lowest rank that has stored one; empty if there is none.
  [[nodiscard]] std::string_view fault() const {
    for (const rank_line& one : lines()) {
      const std::string_view text(one.fault.data());
      if (!text.empty()) return text;
    }
    return {};
  }

 private:
  struct alignas(128) header {
    std::atomic<std::uint32_t> orders;
    mpi_order order;
  };
  struct alignas(128) rank_line {
    std::atomic<std::uint64_t> arrived;
    double seconds;
    std::array<char, 224> fault;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  [[nodiscard]] std::span<const rank_line> lines() const { return {lines_, ranks_}; }

  // A system call, because std::atomic::wait works only between threads of one process.
  static long shared_futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr,
                     nullptr, 0);
  }

  header* header_;
  rank_line* lines_;
  std::size_t ranks_, rank_;
  bool yields_;
  std::uint64_t epoch_ = 0;
  std::uint32_t orders_ = 0;
};

}  // namespace pleat::bench
