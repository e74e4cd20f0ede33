// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/detail/memory.hpp>

namespace pleat::detail {

/// Buffers that a rank shows to the others: its input, and where its result goes.
struct buffers {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  const void* more = nullptr;
};

/// View of what all ranks show: their buffers, or copies of their data.
class shown {
 public:
  shown(const std::byte* first, std::size_t stride, std::uint32_t ranks) noexcept
      : first_(first), stride_(stride), ranks_(ranks) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return ranks_; }
  [[nodiscard]] const buffers& operator[](std::size_t rank) const noexcept {
    return *reinterpret_cast<const buffers*>(copy_of(rank));
  }
  [[nodiscard]] const std::byte* copy_of(std::size_t rank) const noexcept {
    return first_ + rank * stride_;
  }

 private:
  const std::byte* first_;
  std::size_t stride_;
  std::uint32_t ranks_;
};

/// Rendezvous of the ranks of a segment of one process: each shows its buffers, and all go on when
/// all have come.
///
/// The ranks of one worker are a group. They count themselves without atomics; the last of them
/// announces the group, and all ranks go on when all groups have been announced. All must have
/// chosen alike, which is compared before any goes on, so none touches memory of other sizes than
/// it expects.
///
///     announcement   epoch 8 · stamp 8 · bytes 8 · rank 4 │ buffers, or a copy of the data
///
/// Buffers are shown until a second rendezvous. Small data may lie in their place, and then one
/// rendezvous is enough. Where every group is one rank, both lie in its announcement, else in a
/// line of each rank.
///
/// Cost: a resumption for each rank, and for each worker a line that goes to all others. Memory:
/// 128 bytes a rank and 256 a worker, or 2 KiB a worker if every group is one rank.
/// Invariant: a group arrives at epoch e + 1 only after it has passed e, so what is shown at two
/// epochs is kept.
class rendezvous {
 public:
  rendezvous(const fold& folding, const segment& in);

  /// Choice that the ranks of a group have in common, taken from the first of them.
  struct alignas(cache_line / 2) announcement {
    std::atomic<std::uint64_t> epoch{0};  ///< the last one of its parity that all of them came to
    std::uint64_t stamp = 0;              ///< endpoint::stamp
    std::size_t bytes = 0;
    std::uint32_t rank = 0;
  };
  static_assert(sizeof(announcement) == cache_line / 2);

  /// The ranks of one worker, which alone uses this.
  struct alignas(destructive_distance) worker_group {
    std::size_t members = 0;
    std::size_t come = 0;                 // to the epoch after `passed`
    std::uint64_t passed = 0;             // the last epoch that all groups have come to
    std::size_t next = 0;                 // group to look at for the one after it
    const announcement* other = nullptr;  // one that differs from theirs
  };

  /// Tells whether every group is one rank.
  [[nodiscard]] bool is_of_single_ranks() const noexcept { return table_.empty(); }
  /// Largest data of which a copy can be shown, and their alignment there.
  [[nodiscard]] std::size_t most_copied() const noexcept {
    return is_of_single_ranks() ? most_in_announcement : cache_line;
  }
  static constexpr std::size_t alignment = sizeof(announcement);

  [[nodiscard]] std::size_t group_of(std::size_t worker) const noexcept {
    return worker - first_worker_;
  }
  [[nodiscard]] worker_group& at(std::size_t group) noexcept { return groups_[group]; }
  [[nodiscard]] announcement& line(std::size_t group, std::uint64_t epoch) const noexcept {
    return *reinterpret_cast<announcement*>(line_at(group, epoch));
  }
  /// Memory of a rank for what it shows at `epoch`.
  [[nodiscard]] std::byte* place(std::uint32_t rank, std::uint64_t epoch) noexcept {
    if (!is_of_single_ranks()) return table_[2 * rank + (epoch & 1)].bytes;
    return line_at(rank, epoch) + sizeof(announcement);
  }
  /// View of what all ranks show at `epoch`.
  [[nodiscard]] shown all(std::uint64_t epoch) noexcept {
    const bool single = is_of_single_ranks();
    return {place(0, epoch), 2 * (single ? stride_ : sizeof(line_of_rank)),
            static_cast<std::uint32_t>(single ? groups_.size() : table_.size() / 2)};
  }
  /// Tells whether all ranks have come to `epoch`; `compares` their choices. Requires: called by
  /// the group's worker, epoch ≤ passed + 1.
  [[nodiscard]] bool completed(std::size_t group, std::uint64_t epoch, bool compares) noexcept;

 private:
  static constexpr std::size_t most_in_announcement = 992;
  struct alignas(cache_line) line_of_rank {
    std::byte bytes[cache_line];
  };

  [[nodiscard]] std::byte* line_at(std::size_t group, std::uint64_t epoch) const noexcept {
    return static_cast<std::byte*>(lines_.get()) + (2 * group + (epoch & 1)) * stride_;
  }

  std::size_t first_worker_;
  std::vector<worker_group> groups_;
  std::vector<line_of_rank> table_;  // [rank][epoch & 1]; empty if every group is one rank
  std::size_t stride_;               // of announcements
  std::unique_ptr<void, void (*)(void*) noexcept> lines_;  // [group][epoch & 1]
};

/// Wait of a rank at a rendezvous.
struct rendezvous_wait {
  rendezvous* at = nullptr;
  std::size_t group = 0;
  std::uint64_t epoch = 0;
  bool compares = false;
};
[[nodiscard]] inline bool happened(channel_event /*rendezvous*/,
                                   const rendezvous_wait& of) noexcept {
  return of.at->completed(of.group, of.epoch, of.compares);
}

/// Awaiter of `co_await`: waits until all ranks have come, and returns what they show.
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
  shown await_resume() const;
};

/// Tells whether copies of `bytes` bytes of each rank are shown: a second rendezvous is not needed
/// then. The same on all ranks.
[[nodiscard]] inline bool shows_copies(endpoint& on, std::size_t bytes, std::size_t alignment = 1) {
  return bytes <= on.shared_rendezvous().most_copied() && alignment <= rendezvous::alignment;
}

/// Arrives and shows buffers, or a copy of data as shows_copies allows. `bytes`: the size that all
/// must expect. Awaiting the result waits for all ranks.
/// Throws: usage_error if another rank of its worker has chosen or expects something else.
[[nodiscard]] rendezvous_awaiter meet(endpoint& on, std::size_t bytes, const buffers& memory = {});
[[nodiscard]] rendezvous_awaiter meet(endpoint& on, std::size_t bytes, const std::byte* data,
                                      std::size_t data_bytes);
/// Arrives again in an operation, when this rank reads no memory of others any more.
[[nodiscard]] rendezvous_awaiter part(endpoint& on);

}  // namespace pleat::detail
