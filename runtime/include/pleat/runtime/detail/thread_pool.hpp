// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <sys/types.h>
#include <thread>
#include <vector>

#include <pleat/runtime/detail/crew.hpp>
#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

/// Threads of our own that serve as members 1 … p − 1 of a crew as long as this lives.
class PLEAT_API thread_pool {
 public:
  /// Starts threads; `enter(i)` is called first on thread i, once. If a thread cannot be started or
  /// enter throws, all are stopped again and the first error is rethrown.
  thread_pool(crew& of, std::size_t members, std::function<void(std::size_t)> enter);
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
  std::vector<std::thread> threads_;
};

}  // namespace pleat::detail
