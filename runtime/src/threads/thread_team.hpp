// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <pleat/channels/cache_line.hpp>

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

}  // namespace pleat::detail
