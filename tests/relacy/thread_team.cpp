// SPDX-License-Identifier: Apache-2.0
// Teams: jobs of their own threads, and of threads that enter.

/// Threads of a pool: those of the search, each of which waits until it is created.
struct created {
  std::atomic<std::uint32_t> state{0};
  void* (*run)(void*) = nullptr;
  void* given = nullptr;

  /// In the thread.
  void live() {
    while (state.load(std::memory_order_acquire) == 0) searched::give_way();
    run(given);
    state.store(2, std::memory_order_release);
  }
  static inline created* all;
  static inline std::size_t count;
};
inline int create(pthread_t* thread, const pthread_attr_t*, void* (*run)(void*), void* given) {
  created& next = created::all[*thread = ++created::count];
  next.run = run;
  next.given = given;
  next.state.store(1, std::memory_order_release);
  return 0;
}
inline int join(pthread_t thread, void**) {
  while (created::all[thread].state.load(std::memory_order_acquire) != 2) searched::give_way();
  return 0;
}
inline int set_name(pthread_t, const char*) { return 0; }

#define pthread_create create
#define pthread_join join
#define pthread_setname_np set_name
#include "threads/thread_team.cpp"

#include "base/abi.cpp"
#include "kernel.hpp"

namespace pleat::detail {

pid_t this_process() noexcept { return 1; }
pid_t this_thread() noexcept { return 10 + static_cast<pid_t>(searched::self()); }
bool joins_this_thread(pid_t) noexcept { return false; }
void worker_affinity::move_back(std::size_t) const noexcept {}
affinity affinity::of(std::span<const unsigned>) { return affinity(0); }
affinity::affinity(std::size_t) {}

}  // namespace pleat::detail

namespace {

using namespace pleat::detail;

template <unsigned threads> struct with_team : searched::test {
  bool kernel_has = has_membarrier = true;
  const worker_affinity where{pleat::workers::free, std::vector<unsigned>(threads),
                              affinity::of({})};
  thread_team team{where, false};
  unsigned written[threads] = {};
  unsigned job = 0;

  /// Gives jobs, each of which reads what the caller has written and writes what the caller reads.
  void run(unsigned active, unsigned jobs) {
    const thread_team::job_type what = [this](std::size_t self) { written[self] = job; };
    for (job = 1; job <= jobs; ++job) {
      team.run(active, what);
      for (unsigned i = 0; i < active; ++i) {
        searched::require(written[i] == job);
        static_cast<void>(team.seen_on(i));
      }
    }
  }
};

template <unsigned threads, unsigned jobs> struct jobs_are_done : with_team<threads> {
  void thread(unsigned self) override {
    if (self != 0) return searched::require(this->team.serve(self) == jobs);
    this->run(threads, jobs);
    for (unsigned i = 1; i < threads; ++i) this->team.dismiss(i);
  }
};

/// The pool's threads, which have been where their maker looks; they end before it does.
template <unsigned threads> struct pool_works : with_team<threads> {
  pool_works() {
    created::all = made;
    created::count = 0;
  }
  void thread(unsigned self) override {
    if (self != 0) return made[self].live();
    thread_pool pool(this->team, threads, 1 << 16, [&](std::size_t i) { entered[i] = 1; });
    for (unsigned i = 1; i < threads; ++i)
      searched::require(entered[i] == 1 && pool.ids()[i - 1] == 10 + static_cast<pid_t>(i));
    this->run(threads, 1);
  }

  created made[threads];
  unsigned entered[threads] = {};
};

/// Threads that enter during a gathering, with what they have written before, or too late.
template <unsigned threads> struct threads_enter : with_team<threads> {
  void thread(unsigned self) override {
    if (self == 0) {
      searched::require(borrowed.open().has_value());
      const unsigned present = static_cast<unsigned>(borrowed.present());
      if (present == threads)
        for (unsigned i = 1; i < threads; ++i) searched::require(brought[i] == 1);
      this->run(present, 1);
      return borrowed.close();
    }
    brought[self] = 1;
    const std::size_t number = borrowed.enter(std::nullopt);
    if (number != 0) searched::require(borrowed.serve(number) <= 1);
  }

  borrowed_threads borrowed{this->team, threads};
  unsigned brought[threads] = {};
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<jobs_are_done<2, 2>>("2 threads, twice", 2, 3);
    searched::search<jobs_are_done<4, 1>>("4 threads", 4, 0);
    searched::search<pool_works<3>>("a pool of 3", 3, 1);
    return searched::verdict();
  }
  searched::search<jobs_are_done<2, 2>>("2 threads", 2, 2);
  searched::search<jobs_are_done<3, 1>>("3 threads", 3, 1);
  searched::search<pool_works<2>>("a pool", 2, 2);
  searched::search<threads_enter<2>>("a thread enters", 2, 3);
  searched::search<threads_enter<3>>("threads enter", 3, 1);
  return searched::verdict();
}
