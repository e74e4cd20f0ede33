// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "compare_runtime.hpp"
#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

/// Bytes of this process that are in memory now (Linux, /proc/self/statm).
[[nodiscard]] inline std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

constexpr std::size_t default_vps = std::size_t{1} << 20;
constexpr std::size_t vp_supersteps = 20;

// Program of all VPs but one: it does nothing. What a coroutine keeps between supersteps is what
// they cost.
task<> empty_supersteps(vp& me) {
  for (std::size_t i = 0; i < vp_supersteps + 2; ++i) co_await me.sync(0);
}

task<> timed_supersteps(vp& me, double& seconds) {
  co_await me.sync(0);
  co_await me.sync(0);
  const auto start = benchmark_clock::now();
  for (std::size_t i = 0; i < vp_supersteps; ++i) co_await me.sync(0);
  seconds = seconds_since(start);
}

task<> counted_supersteps(vp& me, std::vector<std::uint32_t>& counts) {
  for (std::size_t i = 0; i < vp_supersteps; ++i) {
    ++counts[me.rank()];
    co_await me.sync(0);
  }
}

task<> look_at_memory(vp& me, std::size_t& resident) {
  co_await me.sync(0);
  resident = resident_bytes();
  for (std::size_t i = 0; i < vp_supersteps + 1; ++i) co_await me.sync(0);
}

void verify_supersteps(machine& on, std::size_t vps) {
  std::vector<std::uint32_t> counts(vps);
  on.run(vps, [&](vp& me) { return counted_supersteps(me, counts); });
  if (std::ranges::any_of(counts, [](auto count) { return count != vp_supersteps; }))
    throw error("verification failed: a virtual processor did not perform all its supersteps");
}

// Growth of the process when that many virtual processors are alive, each.
double bytes_per_vp(machine& on, std::size_t vps) {
  on.release_memory();
  const std::size_t before = resident_bytes();
  std::size_t during = before;
  on.run(vps, [&](vp& me) {
    return me.rank() == 0 ? look_at_memory(me, during) : empty_supersteps(me);
  });
  return static_cast<double>(during - std::min(before, during)) / static_cast<double>(vps);
}

}  // namespace

void measure_vp(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t vps = options.n.value_or(default_vps);
  machine& ours = on.ours;
  const auto processors = static_cast<double>(std::min<std::size_t>(vps, ours.processors()));
  // First of all: memory that an earlier run has left would not be counted.
  const double bytes = bytes_per_vp(ours, vps);
  run({.measure = "a VP's superstep, on a core",
       .n = vps,
       .processors = ours.processors(),
       .repetitions = options.repetitions.value_or(11),
       .ours = {"ours", [&] { verify_supersteps(ours, vps); },
                [&] {
                  double seconds = 0;
                  ours.run(vps, [&](vp& me) {
                    return me.rank() == 0 ? timed_supersteps(me, seconds) : empty_supersteps(me);
                  });
                  return seconds * processors / static_cast<double>(vp_supersteps * vps);
                }},
       .figure = [bytes](double) {
         return absolute_figure{"bytes_per_vp", bytes};
       }});
}

namespace {

// Two VPs send each other `count` messages in every superstep.
task<> flood(vp& me, std::size_t count, std::size_t supersteps, std::uint64_t seed, double& seconds,
             std::atomic<bool>& wrong) {
  const std::size_t partner = 1 - me.rank();
  std::uint64_t sum = 0;
  benchmark_clock::time_point start;
  for (std::size_t i = 0; i < supersteps + 2; ++i) {
    if (i == 2) start = benchmark_clock::now();
    for (std::size_t k = 0; k < count; ++k) me.send(partner, seed + k);
    co_await me.sync(0);
    while (auto message = me.receive()) sum += message->get<std::uint64_t>();
  }
  if (me.rank() == 0) seconds = seconds_since(start);
  const std::uint64_t expected = (supersteps + 2) * (count * seed + count * (count - 1) / 2);
  if (sum != expected) wrong.store(true, std::memory_order_relaxed);
}

comparison alone(const testbed& on, const benchmark_options& options, std::string measure,
                 std::size_t n, std::function<double()> sample) {
  return {.measure = std::move(measure),
          .type = "u64",
          .n = n,
          .processors = on.ours.processors(),
          .repetitions = options.repetitions.value_or(11),
          .ours = {"ours", [=] { static_cast<void>(sample()); }, sample},
          .figure = [](double seconds) {
            return absolute_figure{"messages_per_second_per_core", 1 / seconds};
          }};
}

}  // namespace

void measure_messages(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t vps = options.n.value_or(std::size_t{1} << 16);
  // About 2^21 messages in a sample, however many VPs.
  const std::size_t supersteps = std::clamp<std::size_t>((std::size_t{1} << 21) / vps, 4, 1024);
  machine& ours = on.ours;
  const auto processors = static_cast<double>(std::min<std::size_t>(vps, ours.processors()));
  std::uint64_t seed = options.seed;

  auto pattern = [&](const char* measure, std::vector<std::uint32_t> destination) {
    const auto plan = with_sources(std::move(destination), supersteps);
    run(alone(on, options, measure, vps, [&] {
      double seconds = 0;
      std::atomic<bool> wrong{false};
      ++seed;
      ours.run(vps, [&](vp& me) { return exchange(me, plan, seed, seconds, wrong); });
      require_right(wrong);
      return seconds * processors / static_cast<double>(supersteps * vps);
    }));
  };
  pattern("a message to rank xor 1", neighbours(vps));
  pattern("a message to rank + v/2", rotated_by(vps, vps / 2));
  pattern("a message, random permutation", shuffled(vps, options.seed));

  static_cast<void>(on.pair("messages"));
  constexpr std::size_t count = 100'000;
  constexpr std::size_t rounds = 10;
  auto two = alone(on, options, "one of 100,000 between two VPs", 2, [&] {
    double seconds = 0;
    std::atomic<bool> wrong{false};
    ++seed;
    ours.run(2, [&](vp& me) { return flood(me, count, rounds, seed, seconds, wrong); });
    require_right(wrong);
    return seconds / static_cast<double>(rounds * count);
  });
  two.processors = 2;
  run(two);
}

}  // namespace pleat::bench
