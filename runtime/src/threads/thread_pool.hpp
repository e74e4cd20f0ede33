// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <pthread.h>
#include <span>
#include <sys/types.h>
#include <vector>

#include <pleat/runtime/detail/threads.hpp>

#include "threads/crew.hpp"

namespace pleat::detail {

/// Threads of our own that serve as members 1 … p − 1 of a crew as long as this lives.
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
  thread_pool(crew& of, std::size_t members, std::size_t stack,
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
  crew& crew_;
  std::vector<pid_t> ids_;  // [member − 1]
  std::vector<pthread_t> threads_;
};

}  // namespace pleat::detail
