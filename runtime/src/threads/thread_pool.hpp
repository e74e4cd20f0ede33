// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <pthread.h>
#include <span>
#include <sys/types.h>
#include <vector>

#include <pleat/runtime/detail/threads.hpp>

#include "threads/thread_team.hpp"

namespace pleat::detail {

/// Threads of our own that serve as threads 1 … p − 1 of a team as long as the pool lives.
class PLEAT_API thread_pool {
 public:
  /// Starts threads with so many bytes of stack; `enter(i)` is called first on thread i, once. If a
  /// thread cannot be started or enter throws, all are stopped again and the first error is
  /// rethrown.
  ///
  /// They are named pleat/1, pleat/2 …, and block all signals but those that a thread causes itself
  /// and SIGPROF, so that the application's reach threads of its own; a process that a worker
  /// starts inherits that. Their scheduling policy and nice value are those of the thread that
  /// makes them.
  thread_pool(thread_team& of, std::size_t size, std::size_t stack,
              std::function<void(std::size_t)> enter);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// The kernel's ids of threads 1 … p − 1.
  [[nodiscard]] std::span<const pid_t> ids() const noexcept { return ids_; }

  /// False in a child of the process that made it: its threads do not exist there.
  [[nodiscard]] bool ours() const noexcept;

 private:
  void stop() noexcept;

  const pid_t process_ = this_process();
  thread_team& team_;
  std::vector<pid_t> ids_;  // [number in the team − 1]
  std::vector<pthread_t> threads_;
};

}  // namespace pleat::detail
