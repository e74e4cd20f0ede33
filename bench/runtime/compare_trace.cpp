// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "compare_runtime.hpp"
#include "runtime/traffic.hpp"

namespace pleat::bench {
namespace {

// Options of both machines, which have one worker, on the same processor.
machine_options alone_on(unsigned pu) {
  return {.processors = 1,
          .place = placement_request{.how = placement_request::policy::list, .list = {pu}}};
}

// The whole run, for each message it sends; what comes before the first and after the last
// superstep belongs to it too.
double per_message(machine& on, const traffic& plan, std::uint64_t seed) {
  double supersteps_alone = 0;
  std::atomic<bool> wrong{false};
  const std::size_t vps = plan.destination.size();
  const auto report =
      on.run(vps, [&](vp& me) { return exchange(me, plan, seed, supersteps_alone, wrong); });
  require_right(wrong);
  return report.seconds / static_cast<double>((plan.supersteps + traffic::warm_up) * vps);
}

void verify_counts(machine& counting, const traffic& plan, std::uint64_t seed) {
  double seconds = 0;
  std::atomic<bool> wrong{false};
  const std::size_t vps = plan.destination.size();
  const auto report =
      counting.run(vps, [&](vp& me) { return exchange(me, plan, seed, seconds, wrong); });
  require_right(wrong);
  std::size_t crossing = 0;  // what a VP sends to itself does not count
  for (std::size_t r = 0; r < vps; ++r) crossing += plan.destination[r] != r ? 1 : 0;
  const std::size_t supersteps = plan.supersteps + traffic::warm_up;
  if (!report.costs || report.costs->S(0) != supersteps ||
      report.costs->messages() != supersteps * crossing) {
    throw error("verification failed: the trace has not counted every superstep and message");
  }
}

}  // namespace

void measure_trace(testbed& on, const benchmark_options& options, const runner& run) {
  std::vector<std::size_t> sizes{std::size_t{1} << 16, std::size_t{1} << 20};
  if (options.n) sizes = {*options.n};
  machine_options with = alone_on(on.pus.front());
  with.trace = tracing{};
  machine counting(with);
  // A strict machine checks what the counting machine checks: the difference is the cost of
  // counting.
  machine_options strict_too = alone_on(on.pus.front());
  strict_too.strict = true;
  machine checking(strict_too);
  machine_options without = alone_on(on.pus.front());
  without.strict = false;
  machine plain(without);

  std::uint64_t seed = options.seed;
  for (const std::size_t vps : sizes) {
    // About 2^22 messages in a sample, however many VPs.
    const std::size_t supersteps = std::clamp<std::size_t>((std::size_t{1} << 22) / vps, 4, 1024);
    auto pattern = [&](const std::string& measure, std::vector<std::uint32_t> destination) {
      const auto plan = with_sources(std::move(destination), supersteps);
      auto of = [&](machine& one) {
        return candidate{"", [&] { static_cast<void>(per_message(one, plan, ++seed)); },
                         [&] { return per_message(one, plan, ++seed); }};
      };
      comparison compared{.measure = measure,
                          .type = "u64",
                          .n = vps,
                          .processors = 1,
                          .repetitions = options.repetitions.value_or(11),
                          .ours = {"ours", [&] { verify_counts(counting, plan, ++seed); },
                                   [&] { return per_message(counting, plan, ++seed); }},
                          .surcharge = true};
      compared.add_rival(options, "untraced", [&] { return of(plain); });
      compared.add_rival(options, "untraced-strict", [&] { return of(checking); });
      run(compared);
    };
    pattern("a message counted, to rank xor 1", neighbours(vps));
    pattern("a message counted, random permutation", shuffled(vps, options.seed));
  }
}

}  // namespace pleat::bench
