// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "barrier_sample.hpp"
#include "compare_runtime.hpp"
#include "measure/pinned_threads.hpp"
#include "pleat_rivals_linked.hpp"
#include "runtime/rivals/flags_barrier.hpp"
#include "runtime/rivals/openmp_runtime.hpp"

namespace pleat::bench {
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

}  // namespace pleat::bench
