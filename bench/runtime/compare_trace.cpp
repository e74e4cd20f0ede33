// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "compare_runtime.hpp"

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
      report.costs->messages() != supersteps * crossing)
    throw error("verification failed: the trace has not counted every superstep and message");
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

namespace {

constexpr double short_run = 1e-3;  // seconds

// Exchange of every VP in each superstep: `count` 8-byte messages to its destination.
struct exchanges {
  traffic plan;
  std::size_t count;
};

task<> exchange_often(vp& me, const exchanges& what, std::uint64_t seed, std::atomic<bool>& wrong) {
  const std::size_t partner = what.plan.destination[me.rank()];
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < what.plan.supersteps; ++i) {
    for (std::size_t k = 0; k < what.count; ++k) me.send(partner, seed + me.rank() + k);
    co_await me.sync(0);
    while (auto message = me.receive()) sum += message->get<std::uint64_t>();
  }
  const std::uint64_t count = what.count;
  const std::uint64_t expected =
      what.plan.supersteps *
      (count * (seed + what.plan.source[me.rank()]) + count * (count - 1) / 2);
  if (sum != expected) wrong.store(true, std::memory_order_relaxed);
}

run_report run_once(machine& on, const exchanges& what, std::uint64_t seed) {
  std::atomic<bool> wrong{false};
  auto report = on.run(what.plan.destination.size(),
                       [&](vp& me) { return exchange_often(me, what, seed, wrong); });
  require_right(wrong);
  return report;
}

// Chooses the number of supersteps so that a run takes about as long as it should.
void make_short_run(const machine_options& options, exchanges& what, std::uint64_t seed) {
  machine on(options);
  what.plan.supersteps = 16;
  for (int round = 0; round < 4; ++round) {  // the first ones are not yet warm
    const double seconds = run_once(on, what, seed).seconds;
    const double enough = static_cast<double>(what.plan.supersteps) * short_run / seconds;
    what.plan.supersteps = static_cast<std::size_t>(std::clamp(enough, 1.0, 1e6));
  }
}

// A machine for each sample: how its flags happen to lie in memory changes a superstep by some per
// cent for as long as they lie there, which is more than what is looked for.
double sampled_s(const machine_options& options, const exchanges& what, std::uint64_t seed) {
  machine on(options);
  for (int warm_up = 0; warm_up < 2; ++warm_up) static_cast<void>(run_once(on, what, seed));
  return run_once(on, what, seed).seconds;
}

void verify_times(const machine_options& options, const exchanges& what, std::uint64_t seed) {
  machine on(options);
  const auto report = run_once(on, what, seed);
  if (report.times.size() != (includes(options.observe, observed::times) ? report.processors : 0))
    throw error("verification failed: the report has not the times it was to have");
}

}  // namespace

void measure_report(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t vps = options.n.value_or(4096), processors = on.ours.processors();
  machine_options quiet = on.like_ours;
  quiet.observe = observed::nothing;

  std::uint64_t seed = options.seed;
  auto measure = [&](const std::string& what, std::size_t v, std::size_t distance,
                     std::size_t count) {
    exchanges plan{with_sources(rotated_by(v, distance), 0), count};
    make_short_run(on.like_ours, plan, ++seed);
    auto with = [&](const machine_options& chosen) {
      return candidate{"ours", [&] { verify_times(chosen, plan, ++seed); },
                       [&] { return sampled_s(chosen, plan, ++seed); }};
    };
    comparison compared{.measure = what,
                        .type = "u64",
                        .n = v,
                        .processors = static_cast<unsigned>(std::min(v, processors)),
                        .repetitions = options.repetitions.value_or(2001),
                        .ours = with(on.like_ours),
                        .surcharge = true};
    compared.add_rival(options, "unreported", [&] { return with(quiet); });
    run(compared);
  };
  measure("1 ms, a message each in a superstep", processors, 1, 1);
  // The least that is stamped: 8 KiB from a processor to another.
  measure("1 ms, 1024 messages each in a superstep", processors, 1, 1024);
  measure("1 ms, a message each to rank + v/2", vps, vps / 2, 1);
}

}  // namespace pleat::bench
