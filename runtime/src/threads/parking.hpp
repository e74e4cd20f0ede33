// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Sleep of threads until another changes what they wait for.
///
/// The waker changes its flag and calls `wake`; the sleeper calls `sleep_unless(ready)`, which
/// looks at the flags once more after it has been counted. One of the two sees the other. The waker
/// is on every hot path, the sleeper is not: so the sleeper pays for the order of both
/// (membarrier(2)) and the waker only reads a line that nobody writes while all are awake. Where
/// the kernel has no membarrier, the waker orders itself by a read-modify-write.
class PLEAT_API parking {
 public:
  explicit parking(std::size_t sleepers);

  /// Call after the release store of whatever thread `who` may wait for. Numbers that no thread has
  /// are those of other processes, whose threads do not sleep here.
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

  /// Sleeps as thread `self` until woken; returns at once if `ready()` holds. Spurious returns are
  /// possible.
  template <class Ready> void sleep_unless(std::size_t self, Ready&& ready) {
    begin_sleep(self);
    if (!ready()) wait(self);
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
    // Relaxed: ordered behind the caller's store by the sleeper's membarrier in begin_sleep.
    if (asymmetric_) [[likely]]
      return asleep_.value.load(std::memory_order_relaxed) != 0;
    // Pairs with the fetch_add in begin_sleep: whichever comes second sees the other's writes.
    return asleep_.value.fetch_add(0, std::memory_order_acq_rel) != 0;
  }
  void wake_slow(std::size_t who) noexcept;
  void begin_sleep(std::size_t self) noexcept;
  void wait(std::size_t self) noexcept;
  void end_sleep(std::size_t self) noexcept;

  counter asleep_;
  std::size_t sleepers_;
  bool asymmetric_;
  std::unique_ptr<sleeper[]> wakeups_;
};

}  // namespace pleat::detail
