// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <span>
#include <sys/types.h>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/threads.hpp>

#include "threads/parking.hpp"
#include "threads/worker_affinity.hpp"

namespace pleat::detail {

/// Thread team with fork and join: thread 0 gives jobs and takes part in them, threads 1 … p − 1
/// serve. Between jobs they spin for some 50 µs, yield for 2 ms, and then sleep. The team does not
/// make its threads: see thread_pool and borrowed_threads.
///
/// Thread safety: run and dismiss by one thread at a time; serve by one thread for each number.
class thread_team {
 public:
  using job_type = std::function<void(std::size_t)>;

  /// Makes a team. `where` must outlive it. `spin`: waiting threads spin first; else they sleep at
  /// once.
  thread_team(const worker_affinity& where, bool spin)
      : where_(where),
        spin_(spin),
        sleepers_(where.size()),
        orders_(where.size()),
        answers_(where.size()) {}

  /// Runs job(i) on threads 0 … active − 1, thread 0 being the calling one, and waits for all.
  /// Requires that these threads serve, or are about to. `job` must not throw. It costs least if it
  /// is the same object as the last job, because the threads have that in their caches.
  void run(std::size_t active, const job_type& job);

  /// Runs jobs as thread `self` until it is dismissed. Returns the number of jobs done.
  std::size_t serve(std::size_t self);
  /// Ends the service of a thread. Requires that the thread serves, or is about to, and has no job.
  void dismiss(std::size_t thread) noexcept { post(thread, nullptr); }

  /// PU on which a thread ended the last job, if threads are not pinned.
  [[nodiscard]] int seen_on(std::size_t thread) const noexcept { return answers_[thread].pu; }

 private:
  /// Order to one thread, in a cache line that only this thread polls.
  struct alignas(destructive_distance) order {
    std::atomic<std::uint64_t> given{0};  // orders so far, by the thread that calls run or dismiss
    const job_type* job = nullptr;        // null: to stop. Released by `given`
  };
  /// Answer of one thread, in a cache line that only thread 0 polls.
  struct alignas(destructive_distance) answer {
    std::atomic<std::uint64_t> done{0};  // number of orders done
    int pu = -1;                         // released by `done`
  };

  void post(std::size_t thread, const job_type* job) noexcept;
  template <class Ready> bool await(std::size_t self, Ready&& ready);

  const worker_affinity& where_;
  bool spin_;
  parking sleepers_;
  std::vector<order> orders_;    // [thread]
  std::vector<answer> answers_;  // [thread]
};

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

/// Time to wake a thread: its processor leaves a low-power state, and the host schedules a virtual
/// processor a millisecond or two later. Waiting that long before sleeping costs at most twice as
/// much as the best choice.
inline constexpr std::chrono::microseconds while_waking_takes{2000};

/// Yields the processor repeatedly until `ready()`, for at most `longest`. Returns whether it
/// became ready.
template <class Ready> bool yield_until(Ready&& ready, std::chrono::microseconds longest) {
  if (longest.count() == 0) return false;
  const auto end = std::chrono::steady_clock::now() + longest;
  do {
    if (ready()) return true;
    ::sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace pleat::detail
