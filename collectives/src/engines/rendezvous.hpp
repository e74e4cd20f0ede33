// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/layout.hpp>

#include "slices.hpp"

namespace pleat::detail {

/// Rendezvous of the ranks of a segment, several of which share a worker: a table of the buffers of
/// each rank, and a barrier in two levels. Rings between all ranks would cost more memory and more
/// resumptions than there are bytes to move.
///
/// The ranks of one worker are a group. They count themselves without atomics; the last of them
/// announces the group, and all ranks go on when all groups have been announced. All must have
/// chosen alike, which is compared before any goes on, so none touches memory of other sizes than
/// it expects.
///
/// Cost of a barrier: a resumption for each rank, and for each worker a line that goes to all
/// others. Memory: 32 bytes a rank, 256 a worker.
/// Invariant: a group arrives at epoch e + 1 only after it has passed e, so the choices of groups
/// are kept for two epochs, and the table for one operation, which ends with a barrier.
class rendezvous {
 public:
  rendezvous(const fold& folding, const segment& in);

  /// Buffers of a rank: written before its arrival, read by all behind it.
  struct contribution {
    buffers memory;
    const layout* sent;  // of exchanges
  };
  void publish(std::uint32_t rank, const contribution& what) noexcept {
    memory_[rank] = what.memory;
    sent_[rank] = what.sent;
  }
  [[nodiscard]] std::span<const buffers> memory() const noexcept { return memory_; }
  [[nodiscard]] std::span<const layout* const> sent() const noexcept { return sent_; }

  /// The ranks of one worker.
  struct alignas(destructive_distance) worker_group {
    /// Choice that the ranks of a group have in common, taken from the first of them.
    struct choice {
      std::uint64_t stamp = 0;  // endpoint::stamp
      std::size_t bytes = 0;
      std::uint32_t rank = 0;
    };
    std::atomic<std::uint64_t> announced{0};  // the last epoch all of them have come to
    choice chosen[2];                         // [epoch & 1]
    struct alignas(destructive_distance) {    // of its worker alone:
      std::size_t members = 0;
      std::size_t come = 0;           // to the epoch after `passed`
      std::uint64_t passed = 0;       // the last epoch that all groups have come to
      std::size_t next = 0;           // group to look at for the one after it
      const choice* other = nullptr;  // one that differs from theirs
    } own;
  };

  /// Group of the ranks of a worker.
  [[nodiscard]] worker_group& group_of(std::size_t worker) noexcept {
    return groups_[worker - first_worker_];
  }
  /// Tells whether all ranks have come to `epoch`. Requires: called by its worker, epoch ≤ passed
  /// + 1.
  [[nodiscard]] bool completed(worker_group& at, std::uint64_t epoch) noexcept;

 private:
  std::size_t first_worker_;
  std::vector<worker_group> groups_;
  std::vector<buffers> memory_;      // [rank]
  std::vector<const layout*> sent_;  // [rank]
};

/// Wait of a rank at a rendezvous.
struct rendezvous_wait {
  rendezvous* at = nullptr;
  rendezvous::worker_group* with = nullptr;
  std::uint64_t epoch = 0;
};
[[nodiscard]] inline bool happened(channel_event /*rendezvous*/,
                                   const rendezvous_wait& of) noexcept {
  return of.at->completed(*of.with, of.epoch);
}

/// Awaiter of `co_await`: waits until all ranks have come.
struct rendezvous_awaiter {
  using awaited_by_tasks = void;
  endpoint* on;
  rendezvous_wait waits;

  [[nodiscard]] bool await_ready() const {
    return happened(channel_event::rendezvous, waits) ||
           vp_access::soon(on->me(), channel_event::rendezvous, waits);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    vp_access::suspend(on->me(), self, on->where().first,
                       awaited_at(channel_event::rendezvous, waits), on->operation());
  }
  /// Throws: usage_error that says in what the choices of ranks differ.
  void await_resume() const;
};

/// Arrives at the barrier and waits for all ranks. `bytes`: size that all must expect.
/// Throws: usage_error if another rank of its worker has chosen or expects something else.
[[nodiscard]] rendezvous_awaiter meet(endpoint& on, std::size_t bytes);

}  // namespace pleat::detail
