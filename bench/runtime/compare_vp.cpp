// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "compare_runtime.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "runtime/rivals/flags_barrier.hpp"
#include "sort/sort_keys.hpp"
#include "tool/printable.hpp"

namespace pleat::bench {
namespace {

/// Bytes of this process that are in memory now (Linux, /proc/self/statm).
[[nodiscard]] inline std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
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

namespace {

constexpr std::size_t default_bytes = std::size_t{8} << 20;

// Blocks that two processors exchange: each fills its own source and copies the other's.
struct blocks {
  blocks(std::size_t bytes, memory_policy::pages size)
      : words(bytes / 8),
        memory{big_block(bytes, size), big_block(bytes, size), big_block(bytes, size),
               big_block(bytes, size)} {}

  [[nodiscard]] std::span<std::uint64_t> source(std::size_t rank) const {
    return memory[rank].as<std::uint64_t>(words);
  }
  [[nodiscard]] std::span<std::uint64_t> copy(std::size_t rank) const {
    return memory[2 + rank].as<std::uint64_t>(words);
  }
  // Fresh contents for a sample, written by their owner; the copy must not have them already.
  void fill(std::size_t rank, std::uint64_t seed) const {
    auto words_of = source(rank);
    for (std::size_t i = 0; i < words_of.size(); ++i) words_of[i] = mixed(2 * seed + rank) + i;
    std::ranges::fill(copy(rank), 0);
  }
  void verify() const {
    for (std::size_t rank : {0U, 1U}) {
      if (!std::ranges::equal(copy(rank), source(1 - rank)))
        throw error("verification failed: a copy of a lent block differs from the block");
    }
  }

  std::size_t words;
  std::array<big_block, 4> memory;
};

task<> lend_and_copy(vp& me, const blocks& data, std::size_t rounds, std::uint64_t seed,
                     double& seconds) {
  data.fill(me.rank(), seed);
  const std::span<const std::uint64_t> mine = data.source(me.rank());
  const auto copy = data.copy(me.rank());
  benchmark_clock::time_point start;
  for (std::size_t i = 0; i < rounds + 1; ++i) {
    if (i == 1) start = benchmark_clock::now();
    me.lend(1 - me.rank(), mine);
    co_await me.sync(0);
    const auto lent = me.receive()->view<const std::uint64_t>();
    std::memcpy(copy.data(), lent.data, copy.size_bytes());
    co_await me.sync(0);
  }
  if (me.rank() == 0) seconds = seconds_since(start);
}

double copy_on_threads(flags_team& team, const blocks& data, std::size_t rounds,
                       std::uint64_t seed) {
  double seconds = 0;
  team.run([&](unsigned me) {
    data.fill(me, seed);
    team.wait(me);
    benchmark_clock::time_point start;
    for (std::size_t i = 0; i < rounds + 1; ++i) {
      if (i == 1) start = benchmark_clock::now();
      std::memcpy(data.copy(me).data(), data.source(1 - me).data(), data.copy(me).size_bytes());
      team.wait(me);
    }
    if (me == 0) seconds = seconds_since(start);
  });
  return seconds / static_cast<double>(rounds);
}

}  // namespace

void measure_lend(testbed& on, const benchmark_options& options, const runner& run) {
  const auto pair = on.pair("lend");
  const std::size_t bytes = options.n.value_or(default_bytes);
  // About 64 MiB each way in a sample.
  const std::size_t rounds = std::clamp<std::size_t>((std::size_t{64} << 20) / bytes, 4, 10'000);
  const blocks data(bytes, on.ours.memory().size);
  machine& ours = on.ours;
  std::uint64_t seed = options.seed;
  auto verified = [&](const auto& sample) {
    return [&data, sample] {
      static_cast<void>(sample());
      data.verify();
    };
  };

  const auto lend = [&] {
    double seconds = 0;
    ++seed;
    ours.run(2, [&](vp& me) { return lend_and_copy(me, data, rounds, seed, seconds); });
    return seconds / static_cast<double>(rounds);
  };
  comparison compared{
      .measure = readable_bytes(static_cast<double>(bytes)) + " both ways",
      .type = "u64",
      .n = bytes,
      .processors = 2,
      .repetitions = options.repetitions.value_or(21),
      .ours = {"ours", verified(lend), lend},
      .figure = [bytes](double seconds) {
        return absolute_figure{"bytes_per_second_each_way", static_cast<double>(bytes) / seconds};
      }};
  compared.add_rival(options, "memcpy", [&] {
    auto team = std::make_shared<flags_team>(pair);
    const auto copy = [&, team] { return copy_on_threads(*team, data, rounds, ++seed); };
    return candidate{"", verified(copy), copy};
  });
  run(compared);
}

}  // namespace pleat::bench
