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

/// Where the ranks of a segment meet, several of which share a worker: a table of what each brings,
/// and a count of arrivals. Rings between all of them would cost more memory and more resumptions
/// than there are bytes to move.
///
/// The ranks of one worker are a party. They count themselves without atomics; the last of them
/// announces the party, and everybody goes on when all parties have been announced. All must have
/// chosen alike, which is compared before anybody goes on, so nobody touches memory of other sizes
/// than it expects.
///
/// Cost of a meeting: a resumption for each rank, and for each worker a line that goes to all
/// others. Memory: 32 bytes a rank, 256 a worker.
/// Invariant: a party arrives at epoch e + 1 only after it has passed e, so of what the parties
/// have chosen two epochs are kept, and of the table one operation: it ends with a meeting.
class meeting {
 public:
  meeting(const fold& folding, const segment& in);

  /// What a rank brings: written before its arrival, read by all behind it.
  struct guest {
    buffers memory;
    const layout* sent;  // of exchanges
  };
  void bring(std::uint32_t rank, const guest& what) noexcept {
    memory_[rank] = what.memory;
    sent_[rank] = what.sent;
  }
  [[nodiscard]] std::span<const buffers> memory() const noexcept { return memory_; }
  [[nodiscard]] std::span<const layout* const> sent() const noexcept { return sent_; }

  /// The ranks of one worker.
  struct alignas(destructive_distance) party {
    /// What its ranks have in common, the first of them for all.
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
      std::uint64_t passed = 0;       // the last epoch that all parties have come to
      std::size_t next = 0;           // whom to look at for the one after it
      const choice* other = nullptr;  // one that differs from theirs
    } own;
  };

  /// The party of the calling worker's ranks.
  [[nodiscard]] party& party_of(std::size_t worker) noexcept {
    return parties_[worker - first_worker_];
  }
  /// Whether all have come to `epoch`. Requires: called by its worker, epoch ≤ passed + 1.
  [[nodiscard]] bool all_have_come(party& at, std::uint64_t epoch) noexcept;

 private:
  std::size_t first_worker_;
  std::vector<party> parties_;
  std::vector<buffers> memory_;      // [rank]
  std::vector<const layout*> sent_;  // [rank]
};

/// A rank that waits at a meeting.
struct attendance {
  meeting* at = nullptr;
  meeting::party* with = nullptr;
  std::uint64_t epoch = 0;
};
[[nodiscard]] inline bool happened(channel_event /*meeting*/, const attendance& of) noexcept {
  return of.at->all_have_come(*of.with, of.epoch);
}

/// `co_await`: until all have come.
struct meeting_awaiter {
  using awaited_by_tasks = void;
  endpoint* on;
  attendance waits;

  [[nodiscard]] bool await_ready() const {
    return happened(channel_event::meeting, waits) ||
           vp_access::soon(on->me(), channel_event::meeting, waits);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    vp_access::suspend(on->me(), self, on->where().first, awaited_at(channel_event::meeting, waits),
                       on->operation());
  }
  /// Throws: usage_error that says what some have chosen unlike others.
  void await_resume() const;
};

/// The rank has come, and waits for all. `bytes`: that all must expect.
/// Throws: usage_error if another rank of its worker has chosen or expects something else.
[[nodiscard]] meeting_awaiter meet(endpoint& on, std::size_t bytes);

}  // namespace pleat::detail
