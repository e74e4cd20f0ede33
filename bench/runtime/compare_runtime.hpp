// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "measure/benchmark.hpp"

namespace pleat::bench {

// Benchmarks of compare_channel.cpp, compare_sync.cpp, compare_trace.cpp and compare_vp.cpp.
void measure_channel(testbed& on, const benchmark_options& options, const runner& run);
void measure_lend(testbed& on, const benchmark_options& options, const runner& run);
void measure_messages(testbed& on, const benchmark_options& options, const runner& run);
void measure_report(testbed& on, const benchmark_options& options, const runner& run);
void measure_run(testbed& on, const benchmark_options& options, const runner& run);
void measure_sync(testbed& on, const benchmark_options& options, const runner& run);
void measure_trace(testbed& on, const benchmark_options& options, const runner& run);
void measure_vp(testbed& on, const benchmark_options& options, const runner& run);

/// Permutation: in each superstep every VP sends one message, to VP destination[rank].
struct traffic {
  /// Number of supersteps at the start, which are not timed, because buffers grow in them.
  static constexpr std::size_t warm_up = 2;

  std::vector<std::uint32_t> destination, source;
  std::size_t supersteps;  ///< after the warm-up
};

/// Adds the inverse, `source`. Requires: `destination` is a permutation of 0 … size − 1.
[[nodiscard]] traffic with_sources(std::vector<std::uint32_t> destination, std::size_t supersteps);

/// Permutations: rank to rank + distance, modulo `vps`; to rank xor 1, but the last VP to itself if
/// `vps` is odd; to a random rank.
[[nodiscard]] std::vector<std::uint32_t> rotated_by(std::size_t vps, std::size_t distance);
[[nodiscard]] std::vector<std::uint32_t> neighbours(std::size_t vps);
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t vps, std::uint64_t seed);

/// Program of a VP: exchanges 8-byte messages as `plan` says. VP 0 sets `seconds` to the time after
/// the warm-up. `wrong` becomes true if a message was lost, doubled or changed.
[[nodiscard]] task<> exchange(vp& me, const traffic& plan, std::uint64_t seed, double& seconds,
                              std::atomic<bool>& wrong);

/// Throws: pleat::error if a message was wrong.
void require_right(const std::atomic<bool>& wrong);

}  // namespace pleat::bench
