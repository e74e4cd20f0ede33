// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Lets threads sleep until another thread changes a flag for which they wait.
///
/// The waker changes its flag and calls `wake`; the sleeper calls `sleep_unless(ready)`, which
/// counts the sleeper and then checks the flags once more. At least one of the two sees the other's
/// write. Only the waker is on hot paths, so the sleeper orders both threads by membarrier(2), and
/// the waker only reads a cache line that no thread writes while all are awake. If the kernel has
/// no membarrier, the waker orders itself by a read-modify-write.
class parking {
 public:
  explicit parking(std::size_t sleepers);

  /// Wakes thread `who`. Call it after the release store to a flag for which the thread may wait.
  /// Does nothing if `who` belongs to another process.
  void wake(std::size_t who) noexcept {
    if (anybody_asleep()) wake_slow(who);
  }
  /// Wakes threads first … last − 1, except `self`.
  void wake(std::size_t first, std::size_t last, std::size_t self) noexcept {
    if (!anybody_asleep()) return;
    for (std::size_t who = first; who < last; ++who) {
      if (who != self) wake_slow(who);
    }
  }

  /// Sleeps as thread `self` until woken, or for at most `most` ms (0: no limit); returns at once
  /// if `ready()` holds. Spurious returns are possible.
  template <class Ready>
  void sleep_unless(std::size_t self, Ready&& ready, std::uint32_t most = 0) {
    begin_sleep(self);
    if (!ready()) wait(self, most);
    end_sleep(self);
  }

 private:
  struct alignas(destructive_distance) sleeper {
    std::atomic<std::uint32_t> asleep{0};
  };
  struct alignas(destructive_distance) counter {
    std::atomic<std::uint32_t> value{0};
  };

  [[nodiscard]] bool anybody_asleep() noexcept {
    // relaxed: the sleeper's membarrier in begin_sleep orders this load after the caller's store
    if (asymmetric_) [[likely]]
      return asleep_.value.load(std::memory_order_relaxed) != 0;
    // acq_rel: pairs with the fetch_add in begin_sleep; the second of the two sees the other's
    // writes
    return asleep_.value.fetch_add(0, std::memory_order_acq_rel) != 0;
  }
  void wake_slow(std::size_t who) noexcept;
  void begin_sleep(std::size_t self) noexcept;
  void wait(std::size_t self, std::uint32_t most) noexcept;
  void end_sleep(std::size_t self) noexcept;

  counter asleep_;
  std::size_t sleepers_;
  bool asymmetric_;
  std::unique_ptr<sleeper[]> wakeups_;
};

}  // namespace pleat::detail
