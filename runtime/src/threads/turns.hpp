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

/// Which thread has the machine. Threads get it in the order in which they asked; a thread that has
/// it may take it again, so that a library program holds it around its run.
///
/// A thread that waits for a machine whose present run waits for that very thread would wait for
/// ever. What can be known of that is looked for: a thread of the run that is inside pthread_join
/// of the waiting one (std::thread, std::jthread, the future of std::async). Other ways of waiting,
/// such as a condition variable, do not say for whom; `patience` ends those.
///
/// Thread safety: all of it.
class PLEAT_API turns {
 public:
  using patience = std::optional<std::chrono::milliseconds>;

  explicit turns(patience longest_wait);
  turns(const turns&) = delete;
  turns& operator=(const turns&) = delete;

  /// `a_member_joins_me`: whether one of the threads that carry out runs, besides the one that has
  /// the machine, is joining the thread that asks. To be called before the first turn.
  void watch(std::function<bool()> a_member_joins_me) { joining_ = std::move(a_member_joins_me); }

  /// Throws: usage_error (in a child of the process that made it; the thread that has the machine,
  /// or one of its run, is joining this one), environment_error (patience has come to its end).
  /// Cost: a lock and an unlock where nobody else has it.
  void take();
  /// Requires a turn of the calling thread. Nothing in a child process.
  void give_back() noexcept;

  /// Tells whether some thread has it.
  [[nodiscard]] bool taken() const noexcept {
    return holder_.load(std::memory_order_relaxed) != 0;  // whoever asks expects nothing to follow
  }
  /// Whether the calling thread has it.
  [[nodiscard]] bool mine() const noexcept;
  /// False in a child of the process that made it.
  [[nodiscard]] bool ours() const noexcept;

 private:
  struct waiter {
    pid_t thread;
    std::condition_variable bell;
    waiter* next = nullptr;
  };

  void wait(std::unique_lock<std::mutex>& lock, waiter& self);
  void append(waiter& w) noexcept;
  void remove(const waiter& w) noexcept;
  [[nodiscard]] bool joined_by_the_run() const noexcept;

  const patience patience_;
  const pid_t process_;
  std::function<bool()> joining_;
  std::mutex mutex_;
  /// 0: nobody, and then nobody waits. Written under the mutex; a thread that reads its own id here
  /// has stored it itself.
  std::atomic<pid_t> holder_{0};
  std::size_t depth_ = 0;  // how many turns the holder has; the holder's own
  waiter* first_ = nullptr;
};

}  // namespace pleat::detail
