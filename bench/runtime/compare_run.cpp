// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "barrier_sample.hpp"
#include "compare_runtime.hpp"
#include "runtime/rivals/openmp_runtime.hpp"

namespace pleat::bench {
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
