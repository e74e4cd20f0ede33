// SPDX-License-Identifier: Apache-2.0
#include "threads/thread_team.hpp"

#include <sched.h>

#include <pleat/runtime/detail/relax.hpp>

#include "threads/yielding.hpp"

namespace pleat::detail {

namespace {

constexpr int spins_between_jobs = 2000;  // about 50 µs, for programs in quick succession
// The first spins poll without pauses: a thread with an equal share of the work is about to answer,
// and a pause takes half as long as the transfer of a cache line.
constexpr int tight_spins = 200;

}  // namespace

void thread_team::post(std::size_t thread, const job_type* job) noexcept {
  order& to = orders_[thread];
  to.job = job;
  // relaxed load: only the thread that calls run or dismiss writes it. The release pairs with the
  // acquire in serve.
  to.given.store(to.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  sleepers_.wake(thread);
}

/// Waits until `ready()`. Returns true if other threads may have had the processor meanwhile.
template <class Ready> bool thread_team::await(std::size_t self, Ready&& ready) {
  for (int spin = 0; spin_ && spin < spins_between_jobs; ++spin) {
    if (ready()) return false;
    if (spin >= tight_spins) relax();
  }
  if (spin_ && yield_until(ready, while_waking_takes)) return true;
  while (!ready()) sleepers_.sleep_unless(self, ready);
  return true;
}

std::size_t thread_team::serve(std::size_t self) {
  const order& mine = orders_[self];
  answer& to = answers_[self];
  // relaxed: no other thread writes it, and a thread that had this number before has left
  std::uint64_t done = to.done.load(std::memory_order_relaxed);
  for (std::size_t jobs = 0;; ++jobs) {
    // acquire: pairs with the release in post
    const auto ordered = [&] { return mine.given.load(std::memory_order_acquire) != done; };
    if (await(self, ordered)) where_.restore(self);
    ++done;
    if (mine.job == nullptr) {
      to.done.store(done, std::memory_order_relaxed);
      return jobs;
    }
    (*mine.job)(self);
    if (where_.how() != workers::bound) to.pu = ::sched_getcpu();
    to.done.store(done, std::memory_order_release);  // pairs with the acquire in run
    sleepers_.wake(0);
  }
}

void thread_team::run(std::size_t active, const job_type& job) {
  for (std::size_t i = 1; i < active; ++i) post(i, &job);
  job(0);
  std::size_t next = 1;  // all threads before it have answered
  await(0, [&] {
    while (next < active && answers_[next].done.load(std::memory_order_acquire) ==
                                orders_[next].given.load(std::memory_order_relaxed))
      ++next;
    return next == active;
  });
}

}  // namespace pleat::detail
