// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>

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

  explicit fair_mutex(patience longest_wait)
      : patience_(longest_wait > for_ever ? std::nullopt : longest_wait), process_(this_process()) {
    if (patience_ && patience_->count() < 0)
      throw usage_error("machine_options::patience of " + std::to_string(patience_->count()) +
                        " ms: give 0 to refuse at once, or leave it out to wait for ever");
  }
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
  void lock() {
    if (!ours())
      throw usage_error(
          "a machine of the parent process: its threads do not exist after fork; make "
          "a machine in the child");
    const pid_t me = this_thread();
    // relaxed: only this thread stores and removes its id
    if (holder_.load(std::memory_order_relaxed) != me) {
      std::unique_lock lock(mutex_);
      if (holder_.load(std::memory_order_relaxed) == 0) {
        holder_.store(me, std::memory_order_relaxed);
      } else {
        waiter self{me, {}};
        wait(lock, self);
      }
    }
    ++depth_;
  }
  /// Undoes one lock of the calling thread. Requires that it holds the mutex. Does nothing in a
  /// child process.
  void unlock() noexcept {
    if (!ours()) return;  // in a child no other thread needs it, and the mutex may be locked
    if (--depth_ != 0) return;
    const std::scoped_lock lock(mutex_);
    if (first_ == nullptr) {
      holder_.store(0, std::memory_order_relaxed);
      return;
    }
    waiter& next = *first_;
    first_ = next.next;
    holder_.store(next.thread, std::memory_order_relaxed);
    next.woken.notify_one();  // under the lock: `woken` is destroyed once its thread has the lock
  }

  /// Tells whether some thread has the mutex.
  [[nodiscard]] bool locked() const noexcept {
    return holder_.load(std::memory_order_relaxed) != 0;  // relaxed: the answer orders nothing
  }
  /// Tells whether the calling thread has the mutex.
  [[nodiscard]] bool mine() const noexcept {
    // relaxed: only this thread stores and removes its id
    return holder_.load(std::memory_order_relaxed) == this_thread();
  }
  /// Returns false in a child of the process that made the mutex.
  [[nodiscard]] bool ours() const noexcept { return this_process() == process_; }

 private:
  using clock = std::chrono::steady_clock;

  /// Time between two checks of a waiting thread whether it waits for itself.
  static constexpr std::chrono::milliseconds between_checks{50};
  /// A patience longer than this is none: a clock cannot count to its end.
  static constexpr std::chrono::hours for_ever{24 * 365 * 100};

  struct waiter {
    pid_t thread;
    std::condition_variable woken;
    waiter* next = nullptr;
  };

  void wait(std::unique_lock<std::mutex>& lock, waiter& self) {
    link_to(nullptr) = &self;
    const clock::time_point begun = clock::now();
    while (true) {
      const clock::time_point now = clock::now();
      clock::time_point until = now + between_checks;
      if (patience_) until = std::min(until, begun + *patience_);
      self.woken.wait_until(lock, until);
      if (holder_.load(std::memory_order_relaxed) == self.thread) return;
      if (joined_by_holder()) {
        link_to(&self) = self.next;
        throw usage_error(
            "the machine waits for this thread, which asks for the machine: whoever has it joins "
            "this thread, so neither could go on; give this thread a machine of its own, or run "
            "first and join later");
      }
      if (patience_ && clock::now() - begun >= *patience_) {
        link_to(&self) = self.next;
        throw environment_error("the machine was busy with another thread's call for " +
                                std::to_string(patience_->count()) +
                                " ms, machine_options::patience: try again, give it more, or use a "
                                "machine of its own for each thread");
      }
    }
  }
  /// Finds the link to a waiter; the last one, to null.
  [[nodiscard]] waiter*& link_to(const waiter* w) noexcept {
    waiter** link = &first_;
    while (*link != w) link = &(*link)->next;
    return *link;
  }
  [[nodiscard]] bool joined_by_holder() const noexcept {
    return joins_this_thread(holder_.load(std::memory_order_relaxed)) || (joining_ && joining_());
  }

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
