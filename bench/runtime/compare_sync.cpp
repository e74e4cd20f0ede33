// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <barrier>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "compare_runtime.hpp"
#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "pleat_rivals_linked.hpp"
#include "runtime/rivals/flags_barrier.hpp"
#include "runtime/rivals/openmp_runtime.hpp"

namespace pleat::bench {

/// Check of a barrier: no thread leaves phase k before all threads have entered it.
class phase_check {
 public:
  explicit phase_check(std::size_t threads) : phases_(threads) {}

  static constexpr std::size_t rounds = 1000;

  /// Thread `me` enters phase k = 1 … rounds, then passes the barrier, then calls `left`.
  void enter(std::size_t me, std::size_t k) {
    phases_[me].value.store(k, std::memory_order_relaxed);
  }
  void left(std::size_t k) {
    for (const auto& other : phases_) {
      const std::size_t seen = other.value.load(std::memory_order_relaxed);
      if (seen < k || seen > k + 1) wrong_.store(true, std::memory_order_relaxed);
    }
  }

  /// Requires: all threads have ended. Throws: pleat::error if one left a phase too early.
  void require_right() const {
    if (wrong_) throw error("verification failed: a barrier was passed before all had come");
  }

 private:
  struct alignas(128) phase {
    std::atomic<std::size_t> value{0};
  };
  std::vector<phase> phases_;
  std::atomic<bool> wrong_{false};
};

/// Checks the barrier of a team: one that runs a body on each of its threads (`run`) and lets them
/// meet (`wait`). Throws: pleat::error.
template <class Team> void verify_barrier(Team& team, unsigned threads) {
  phase_check check(threads);
  team.run([&](unsigned me) {
    for (std::size_t k = 1; k <= phase_check::rounds; ++k) {
      check.enter(me, k);
      team.wait(me);
      check.left(k);
    }
  });
  check.require_right();
}

/// Seconds per barrier by the clock of thread 0, after a warm-up of a tenth as many.
template <class Team> double time_barrier(Team& team, std::size_t repetitions) {
  double seconds = 0;
  team.run([&](unsigned me) {
    for (std::size_t i = 0; i < repetitions / 10 + 1; ++i) team.wait(me);
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < repetitions; ++i) team.wait(me);
    if (me == 0) seconds = seconds_since(start);
  });
  return seconds / static_cast<double>(repetitions);
}

namespace {

/// std::barrier of the C++ library this program was built with, on pinned threads.
class std_barrier_team {
 public:
  explicit std_barrier_team(std::span<const unsigned> pus)
      : pus_(pus.begin(), pus.end()), barrier_(static_cast<std::ptrdiff_t>(pus.size())) {}

  template <class Body> void run(const Body& body) {
    run_pinned(pus_, [&](std::size_t thread) { body(static_cast<unsigned>(thread)); });
  }

  void wait(unsigned) { barrier_.arrive_and_wait(); }

 private:
  std::vector<unsigned> pus_;
  std::barrier<> barrier_;
};

task<> sync_often(vp& me, std::size_t barriers, double& seconds) {
  for (std::size_t i = 0; i < barriers / 10 + 1; ++i) co_await me.sync(0);
  const auto start = benchmark_clock::now();
  for (std::size_t i = 0; i < barriers; ++i) co_await me.sync(0);
  if (me.rank() == 0) seconds = seconds_since(start);
}

task<> check_sync(vp& me, phase_check& check) {
  for (std::size_t k = 1; k <= phase_check::rounds; ++k) {
    check.enter(me.rank(), k);
    co_await me.sync(0);
    check.left(k);
  }
}

candidate our_sync(machine& on, std::size_t barriers) {
  return {"ours",
          [&on] {
            phase_check check(on.processors());
            on.run(on.processors(), [&](vp& me) { return check_sync(me, check); });
            check.require_right();
          },
          [&on, barriers] {
            double seconds = 0;
            on.run(on.processors(), [&](vp& me) { return sync_often(me, barriers, seconds); });
            return seconds / static_cast<double>(barriers);
          }};
}

template <class Team> candidate team_of(const std::vector<unsigned>& pus, std::size_t barriers) {
  auto team = std::make_shared<Team>(pus);
  const auto threads = static_cast<unsigned>(pus.size());
  return {"", [team, threads] { verify_barrier(*team, threads); },
          [team, barriers] { return time_barrier(*team, barriers); }};
}

}  // namespace

void measure_sync(testbed& on, const benchmark_options& options, const runner& run) {
  on.require_dedicated("sync");
  const std::size_t barriers = options.n.value_or(100'000);
  comparison compared{.measure = "one sync(0)",
                      .n = barriers,
                      .processors = on.ours.processors(),
                      .repetitions = options.repetitions.value_or(21),
                      .ours = our_sync(on.ours, barriers)};
  compared.add_rival(options, "flags", [&] { return team_of<flags_team>(on.pus, barriers); });
  compared.add_rival(options, "libomp", [&] { return team_of<libomp_team>(on.pus, barriers); });
  compared.add_rival(options, "libgomp", [&] { return team_of<libgomp_team>(on.pus, barriers); });
  // A hundred times slower than the others: fewer barriers take as long.
  compared.add_rival(options, "std-barrier",
                     [&] { return team_of<std_barrier_team>(on.pus, barriers / 20 + 1); });
  run(compared);
}

namespace {

task<> meet(vp& me) { co_await me.sync(0); }

task<> check_meeting(vp& me, phase_check& check, std::size_t k) {
  check.enter(me.rank(), k);
  co_await me.sync(0);
  check.left(k);
}

// Runs one after the other, so that the workers are awake.
candidate our_runs(machine& on, std::size_t vps, std::size_t runs) {
  return {"ours",
          [&on, vps] {
            phase_check check(vps);
            for (std::size_t k = 1; k <= phase_check::rounds; ++k)
              on.run(vps, [&](vp& me) { return check_meeting(me, check, k); });
            check.require_right();
          },
          [&on, vps, runs] {
            for (std::size_t i = 0; i < runs / 10 + 1; ++i) on.run(vps, meet);
            const auto start = benchmark_clock::now();
            for (std::size_t i = 0; i < runs; ++i) on.run(vps, meet);
            return seconds_since(start) / static_cast<double>(runs);
          }};
}

template <class Team> candidate regions_of(const std::vector<unsigned>& pus, std::size_t regions) {
  auto team = std::make_shared<Team>(pus);
  const auto threads = static_cast<unsigned>(pus.size());
  return {"", [team, threads] { verify_barrier(*team, threads); },
          [team, regions] { return team->time_regions(regions); }};
}

}  // namespace

void measure_run(testbed& on, const benchmark_options& options, const runner& run) {
  on.require_dedicated("run");
  const std::size_t runs = options.n.value_or(20'000);
  const unsigned processors = on.ours.processors();
  comparison together{.measure = "a run of a VP on each processor, one sync(0)",
                      .n = runs,
                      .processors = processors,
                      .repetitions = options.repetitions.value_or(21),
                      .ours = our_runs(on.ours, processors, runs)};
  together.add_rival(options, "libomp", [&] { return regions_of<libomp_team>(on.pus, runs); });
  together.add_rival(options, "libgomp", [&] { return regions_of<libgomp_team>(on.pus, runs); });
  run(together);
  run({.measure = "a run of one VP, one sync(0)",
       .n = runs,
       .processors = 1,
       .repetitions = options.repetitions.value_or(21),
       .ours = our_runs(on.ours, 1, runs)});
}

}  // namespace pleat::bench
