// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <utility>

namespace pleat::detail {

/// Recursive mutex of a machine, which threads get in the order of their requests. It is recursive
/// because a library program holds it around its run. Holding it is a *turn*, see machine::turn.
///
/// If a thread waits for a machine whose current run waits for that thread, both would wait for
/// ever. The mutex detects one case: a thread of the run is inside pthread_join of the waiting
/// thread (std::thread, std::jthread, the future of std::async). Other ways of waiting, such as a
/// condition variable, do not show which thread is awaited; `patience` ends these waits.
///
/// Thread safety: all calls.
class fair_mutex {
 public:
  using patience = std::optional<std::chrono::milliseconds>;

  explicit fair_mutex(patience longest_wait);
  fair_mutex(const fair_mutex&) = delete;
  fair_mutex& operator=(const fair_mutex&) = delete;

  /// Sets the test for the case above: whether a worker other than the holder is inside
  /// pthread_join of the calling thread. Call it before the first lock.
  void detect_joins(std::function<bool()> a_worker_joins_me) {
    joining_ = std::move(a_worker_joins_me);
  }

  /// Waits until the calling thread has the mutex. Throws: usage_error (in a child of the process
  /// that made the mutex; the holder, or a thread of its run, is joining this thread),
  /// environment_error (patience is over). Cost: a lock and an unlock of a std::mutex if it is
  /// free.
  void lock();
  /// Undoes one lock of the calling thread. Requires that it holds the mutex. Does nothing in a
  /// child process.
  void unlock() noexcept;

  /// Tells whether some thread has the mutex.
  [[nodiscard]] bool locked() const noexcept {
    return holder_.load(std::memory_order_relaxed) != 0;  // relaxed: the answer orders nothing
  }
  /// Tells whether the calling thread has the mutex.
  [[nodiscard]] bool mine() const noexcept;
  /// Returns false in a child of the process that made the mutex.
  [[nodiscard]] bool ours() const noexcept;

 private:
  struct waiter {
    pid_t thread;
    std::condition_variable woken;
    waiter* next = nullptr;
  };

  void wait(std::unique_lock<std::mutex>& lock, waiter& self);
  void append(waiter& w) noexcept;
  void remove(const waiter& w) noexcept;
  [[nodiscard]] bool joined_by_holder() const noexcept;

  const patience patience_;
  const pid_t process_;
  std::function<bool()> joining_;
  std::mutex mutex_;
  /// Id of the holder. 0: no thread holds the mutex, and none waits. Written under the mutex; a
  /// thread that reads its own id here has stored it itself.
  std::atomic<pid_t> holder_{0};
  std::size_t depth_ = 0;  // number of locks of the holder, which alone uses it
  waiter* first_ = nullptr;
};

}  // namespace pleat::detail
