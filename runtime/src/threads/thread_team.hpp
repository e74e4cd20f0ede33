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
class PLEAT_API thread_team {
 public:
  using job_type = std::function<void(std::size_t)>;

  /// `where` outlives the team. `spin`: else threads that wait sleep at once.
  thread_team(const worker_affinity& where, bool spin)
      : where_(where),
        spin_(spin),
        sleepers_(where.size()),
        orders_(where.size()),
        answers_(where.size()) {}

  /// Runs job(i) on threads 0 … active − 1, thread 0 being the calling one, and waits for all.
  /// Requires that they serve, or are about to. `job` must not throw. A job that is the same object
  /// as the last one costs least: the threads have it in their caches.
  void run(std::size_t active, const job_type& job);

  /// Runs jobs as thread `self` until it is dismissed. Returns how many jobs it did.
  std::size_t serve(std::size_t self);
  /// Ends the service of a thread. Requires that it serves, or is about to, and has no job.
  void dismiss(std::size_t thread) noexcept { post(thread, nullptr); }

  /// PU on which a thread ended the last job, if threads are not pinned.
  [[nodiscard]] int seen_on(std::size_t thread) const noexcept { return answers_[thread].pu; }

 private:
  /// Order to one thread, in a line that it alone waits at.
  struct alignas(destructive_distance) order {
    std::atomic<std::uint64_t> given{0};  // orders so far, by the thread that calls run or dismiss
    const job_type* job = nullptr;        // null: to stop. Released by `given`
  };
  /// Answer of one thread, in a line that thread 0 alone waits at.
  struct alignas(destructive_distance) answer {
    std::atomic<std::uint64_t> done{0};  // orders so far
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
