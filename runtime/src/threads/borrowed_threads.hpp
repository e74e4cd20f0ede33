// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "threads/thread_team.hpp"

namespace pleat::detail {

/// Application threads that serve as threads 1 … of a team. They enter during a gathering, and
/// serve until it is closed (see machine::gathering).
///
/// Thread safety: all calls; but close only while the team has no job and will get none.
class borrowed_threads {
 public:
  /// `most`: threads of the team, thread 0 among them.
  borrowed_threads(thread_team& of, std::size_t most)
      : team_(of), most_(most - 1), threads_(most) {}

  /// Number of threads that can be given jobs, thread 0 among them. Grows during a gathering.
  [[nodiscard]] std::size_t present() const noexcept {
    // acquire: pairs with the release in enter, after which the thread serves
    return 1 + entered_.load(std::memory_order_acquire);
  }
  /// Returns the number of the calling thread in the team, with which it must call serve. Returns 0
  /// if there is no gathering, if the gathering of the given number is closed, or if the team is
  /// complete.
  [[nodiscard]] std::size_t enter(std::optional<std::uint64_t> gathering);
  /// Serves as thread `self` until the gathering is closed. Returns the number of jobs done.
  std::size_t serve(std::size_t self);
  /// Tells whether one of the threads that serve is inside pthread_join of the calling thread.
  [[nodiscard]] bool any_joins_this_thread() const noexcept;
  /// Opens a gathering. Returns its number, from 1 on; nullopt if a gathering is open already.
  [[nodiscard]] std::optional<std::uint64_t> open();
  /// Closes the gathering. Returns when all threads that have entered have left.
  void close() noexcept;

 private:
  thread_team& team_;
  const std::size_t most_;
  std::vector<std::atomic<pid_t>> threads_;  // [number in the team], 0 if no thread serves
  std::mutex mutex_;
  std::condition_variable all_left_;
  bool open_ = false;
  std::uint64_t gatherings_ = 0;
  std::size_t inside_ = 0;  // number of threads that have entered and not left yet
  std::atomic<std::size_t> entered_{0};
};

}  // namespace pleat::detail
