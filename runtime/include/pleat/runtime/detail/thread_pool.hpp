// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <sys/types.h>
#include <thread>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/parking.hpp>
#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

/// Threads 1 … p − 1 of a machine. Between jobs they spin for some 50 µs, yield for 2 ms, and then
/// sleep.
class thread_pool {
 public:
  /// Starts threads; `enter(i)` is called first on thread i, once. If a thread cannot be started or
  /// enter throws, all are stopped again and the first error is rethrown.
  thread_pool(std::size_t members, bool spin, std::function<void(std::size_t)> enter);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// Runs job(i) on members 0 … active − 1, member 0 on the calling thread, and waits for all.
  /// `job` must not throw.
  void run(std::size_t active, const std::function<void(std::size_t)>& job);

  /// The kernel's ids of threads 1 … p − 1.
  [[nodiscard]] std::span<const pid_t> ids() const noexcept { return ids_; }

  /// False in a child of the process that made it: its threads do not exist there.
  [[nodiscard]] bool ours() const noexcept;

 private:
  struct alignas(destructive_distance) counter {
    std::atomic<std::uint64_t> value{0};
  };

  void serve(std::size_t self);
  void order(std::size_t member) noexcept;
  void stop() noexcept;
  template <class Ready> void await(std::size_t self, Ready&& ready);

  const pid_t process_ = this_process();
  bool spin_;
  parking sleepers_;
  std::vector<counter> orders_;  // [member]: jobs given to it so far; each watches its own
  counter remaining_;            // members that have not finished the current job
  bool stopping_ = false;        // this and the job are released by orders_
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::vector<pid_t> ids_;  // [member − 1]
  std::vector<std::thread> threads_;
};

}  // namespace pleat::detail
