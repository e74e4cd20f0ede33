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

/// Threads of the library that serve as threads 1 … p − 1 of a team until the pool is destroyed.
class thread_pool {
 public:
  /// Starts threads with `stack` bytes of stack; each thread i first calls `enter(i)` once. If a
  /// thread cannot be started or enter throws, all threads are stopped and the first error is
  /// rethrown.
  ///
  /// The threads are named pleat/1, pleat/2 …. They block all signals except SIGPROF and the
  /// signals that a thread causes itself, so that other signals reach the application's own
  /// threads; a process that a worker starts inherits this mask. Their scheduling policy and nice
  /// value are those of the thread that makes them.
  thread_pool(thread_team& of, std::size_t size, std::size_t stack,
              std::function<void(std::size_t)> enter);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// The kernel's ids of threads 1 … p − 1.
  [[nodiscard]] std::span<const pid_t> ids() const noexcept { return ids_; }

  /// Returns false in a child of the process that made the pool: the threads do not exist there.
  [[nodiscard]] bool ours() const noexcept;

 private:
  void stop() noexcept;

  const pid_t process_ = this_process();
  thread_team& team_;
  std::vector<pid_t> ids_;  // [number in the team − 1]
  std::vector<pthread_t> threads_;
};

}  // namespace pleat::detail
