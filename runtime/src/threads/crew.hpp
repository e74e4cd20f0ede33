// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <pleat/channels/cache_line.hpp>

#include "threads/parking.hpp"
#include "threads/seating.hpp"

namespace pleat::detail {

/// How threads work together: member 0 gives jobs and takes part in them, members 1 … p − 1 serve.
/// Between jobs they spin for some 50 µs, yield for 2 ms, and then sleep. Whose threads they are is
/// not known here: see thread_pool and guests.
///
/// Thread safety: run and dismiss by one thread at a time; serve by one thread for each member.
class PLEAT_API crew {
 public:
  using job_type = std::function<void(std::size_t)>;

  /// `seats` outlives it.
  crew(const seating& seats, bool spin)
      : seats_(seats),
        spin_(spin),
        sleepers_(seats.size()),
        orders_(seats.size()),
        answers_(seats.size()) {}

  /// Runs job(i) on members 0 … active − 1, member 0 on the calling thread, and waits for all.
  /// Requires that they serve, or are about to. `job` must not throw. A job that is the same object
  /// as the last one costs least: the members have it in their caches.
  void run(std::size_t active, const job_type& job);

  /// The calling thread is that member until it is dismissed. Returns how many jobs it did.
  std::size_t serve(std::size_t self);
  /// Requires that the member serves, or is about to, and has no job.
  void dismiss(std::size_t member) noexcept { tell(member, nullptr); }

  /// The PU on which a member ended the last job, if threads are not pinned.
  [[nodiscard]] int seen_on(std::size_t member) const noexcept { return answers_[member].pu; }

 private:
  /// What one member is told, in a line that it alone waits at.
  struct alignas(destructive_distance) order {
    std::atomic<std::uint64_t> given{0};  // orders so far, by whoever has the crew
    const job_type* job = nullptr;        // null: to stop. Released by `given`
  };
  /// What it answers, in a line that member 0 alone waits at.
  struct alignas(destructive_distance) answer {
    std::atomic<std::uint64_t> done{0};  // orders so far
    int pu = -1;                         // released by `done`
  };

  void tell(std::size_t member, const job_type* job) noexcept;
  template <class Ready> bool await(std::size_t self, Ready&& ready);

  const seating& seats_;
  bool spin_;
  parking sleepers_;
  std::vector<order> orders_;    // [member]
  std::vector<answer> answers_;  // [member]
};

}  // namespace pleat::detail
