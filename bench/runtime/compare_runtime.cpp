// SPDX-License-Identifier: Apache-2.0
#include "compare_runtime.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

void check_words(const benchmark_options& options) {
  if (options.n && *options.n % 8 != 0) throw usage_error("--n: lend needs a multiple of 8 bytes");
}

constexpr std::array benchmarks{
    benchmark{"sync", "a barrier of all processors, one virtual processor each",
              "barriers in a sample", measure_sync, "flags, libomp, libgomp, std-barrier"}
        .with(&benchmark::spins, true),
    benchmark{"run", "a whole run of the machine with one barrier, beside a parallel region",
              "runs in a sample", measure_run, "libomp, libgomp"}
        .with(&benchmark::spins, true),
    benchmark{"channel", "a ring between two processors, and push and pop of VPs",
              "items in a sample of throughput", measure_channel, "cached-ring, bare-channel"}
        .with(&benchmark::least_n, 1024),
    benchmark{"vp", "many virtual processors on a core: a superstep's cost and memory of each",
              "virtual processors", measure_vp},
    benchmark{"messages", "8-byte messages: one per virtual processor, or many between two",
              "virtual processors", measure_messages}
        .with(&benchmark::group, "vp")
        .with(&benchmark::least_n, 2),
    benchmark{"lend", "large blocks lent to each other and copied out, both ways at once",
              "bytes each way", measure_lend, "memcpy"}
        .with(&benchmark::group, "vp")
        .with(&benchmark::least_n, 8)
        .with(&benchmark::check, check_words),
    benchmark{"trace", "a message counted for every folding, beside one that is not",
              "virtual processors", measure_trace, "untraced, untraced-strict"}
        .with(&benchmark::group, "costs")
        .with(&benchmark::least_n, 2),
    benchmark{"report", "a run of a millisecond with its report's times, and without",
              "virtual processors of its last measure", measure_report, "unreported"}
        .with(&benchmark::group, "costs"),
};

}  // namespace

std::span<const benchmark> runtime_benchmarks() { return benchmarks; }

traffic with_sources(std::vector<std::uint32_t> destination, std::size_t supersteps) {
  std::vector<std::uint32_t> source(destination.size());
  for (std::uint32_t r = 0; r < destination.size(); ++r) source[destination[r]] = r;
  return {std::move(destination), std::move(source), supersteps};
}

std::vector<std::uint32_t> rotated_by(std::size_t vps, std::size_t distance) {
  std::vector<std::uint32_t> result(vps);
  for (std::size_t r = 0; r < vps; ++r)
    result[r] = static_cast<std::uint32_t>((r + distance) % vps);
  return result;
}

std::vector<std::uint32_t> neighbours(std::size_t vps) {
  std::vector<std::uint32_t> result(vps);
  // An odd VP at the end is its own partner.
  for (std::size_t r = 0; r < vps; ++r)
    result[r] = static_cast<std::uint32_t>((r ^ 1U) < vps ? r ^ 1U : r);
  return result;
}

std::vector<std::uint32_t> shuffled(std::size_t vps, std::uint64_t seed) {
  std::vector<std::uint32_t> result(vps);
  std::iota(result.begin(), result.end(), 0U);
  std::ranges::shuffle(result, std::mt19937_64(seed));
  return result;
}

task<> exchange(vp& me, const traffic& plan, std::uint64_t seed, double& seconds,
                std::atomic<bool>& wrong) {
  const std::size_t partner = plan.destination[me.rank()];
  std::uint64_t sum = 0;
  benchmark_clock::time_point start;
  for (std::size_t i = 0; i < plan.supersteps + traffic::warm_up; ++i) {
    if (i == traffic::warm_up) start = benchmark_clock::now();
    me.send(partner, seed + i + me.rank());
    co_await me.sync(0);
    const auto message = me.receive();
    if (message) sum += message->get<std::uint64_t>();
  }
  if (me.rank() == 0) seconds = seconds_since(start);
  const std::size_t rounds = plan.supersteps + traffic::warm_up;
  const std::uint64_t expected =
      rounds * (seed + plan.source[me.rank()]) + rounds * (rounds - 1) / 2;
  if (sum != expected) wrong.store(true, std::memory_order_relaxed);
}

void require_right(const std::atomic<bool>& wrong) {
  if (wrong) throw error("verification failed: a message was lost, doubled or changed");
}

}  // namespace pleat::bench
