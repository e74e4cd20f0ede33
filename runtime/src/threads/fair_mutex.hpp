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

/// Recursive mutex of a machine that threads get in the order in which they asked: recursive so
/// that a library program holds it around its run. To have it is a *turn*, see machine::turn.
///
/// A thread that waits for a machine whose present run waits for that very thread would wait for
/// ever. The mutex detects one case: a thread of the run that is inside pthread_join of the waiting
/// one (std::thread, std::jthread, the future of std::async). Other ways of waiting, such as a
/// condition variable, do not say for whom; `patience` ends those.
///
/// Thread safety: all of it.
class PLEAT_API fair_mutex {
 public:
  using patience = std::optional<std::chrono::milliseconds>;

  explicit fair_mutex(patience longest_wait);
  fair_mutex(const fair_mutex&) = delete;
  fair_mutex& operator=(const fair_mutex&) = delete;

  /// Sets the test for the case above: whether a worker other than the holder is inside
  /// pthread_join of the thread that asks. To be called before the first lock.
  void detect_joins(std::function<bool()> a_worker_joins_me) {
    joining_ = std::move(a_worker_joins_me);
  }

  /// Waits until the calling thread has the mutex. Throws: usage_error (in a child of the process
  /// that made it; the holder, or a thread of its run, is joining this one), environment_error
  /// (patience has come to its end). Cost: a lock and an unlock of a std::mutex if it is free.
  void lock();
  /// Undoes one lock of the calling thread, which is required. Does nothing in a child process.
  void unlock() noexcept;

  /// Tells whether some thread has the mutex.
  [[nodiscard]] bool locked() const noexcept {
    return holder_.load(std::memory_order_relaxed) != 0;  // the answer orders nothing
  }
  /// Tells whether the calling thread has the mutex.
  [[nodiscard]] bool mine() const noexcept;
  /// Returns false in a child of the process that made it.
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
  /// 0: nobody, and then nobody waits. Written under the mutex; a thread that reads its own id here
  /// has stored it itself.
  std::atomic<pid_t> holder_{0};
  std::size_t depth_ = 0;  // how many fair_mutex the holder has; the holder's own
  waiter* first_ = nullptr;
};

}  // namespace pleat::detail
