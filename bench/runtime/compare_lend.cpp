// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

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
