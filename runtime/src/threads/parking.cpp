// SPDX-License-Identifier: Apache-2.0
#include "threads/parking.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace pleat::detail {

namespace {

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0); }

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* most = nullptr) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, most, nullptr, 0);
}

}  // namespace

parking::parking(std::size_t sleepers)
    : sleepers_(sleepers),
      asymmetric_(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0),
      wakeups_(std::make_unique<sleeper[]>(sleepers)) {}

void parking::wake_slow(std::size_t who) noexcept {
  if (who >= sleepers_) return;  // its virtual processors are in another process
  std::atomic<std::uint32_t>& asleep = wakeups_[who].asleep;
  // relaxed is enough to skip a thread that is awake: if the thread is about to sleep and this load
  // returns 0, its own check after begin_sleep sees the caller's store.
  if (asleep.load(std::memory_order_relaxed) == 0) return;
  // relaxed, as in end_sleep: a thread that wakes up orders itself when it begins to sleep again
  if (asleep.exchange(0, std::memory_order_relaxed) != 0) futex(asleep, FUTEX_WAKE_PRIVATE, 1);
}

void parking::begin_sleep(std::size_t self) noexcept {
  wakeups_[self].asleep.store(1, std::memory_order_relaxed);
  asleep_.value.fetch_add(1, std::memory_order_acq_rel);  // pairs with anybody_asleep
  if (asymmetric_) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

void parking::wait(std::size_t self, std::uint32_t most) noexcept {
  const timespec limit{most / 1000, most % 1000 * 1'000'000};
  futex(wakeups_[self].asleep, FUTEX_WAIT_PRIVATE, 1, most != 0 ? &limit : nullptr);
}

void parking::end_sleep(std::size_t self) noexcept {
  wakeups_[self].asleep.store(0, std::memory_order_relaxed);
  asleep_.value.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace pleat::detail
