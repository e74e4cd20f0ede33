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

// One in each of compare_….cpp.
void measure_channel(testbed& on, const benchmark_options& options, const runner& run);
void measure_lend(testbed& on, const benchmark_options& options, const runner& run);
void measure_messages(testbed& on, const benchmark_options& options, const runner& run);
void measure_report(testbed& on, const benchmark_options& options, const runner& run);
void measure_run(testbed& on, const benchmark_options& options, const runner& run);
void measure_sync(testbed& on, const benchmark_options& options, const runner& run);
void measure_trace(testbed& on, const benchmark_options& options, const runner& run);
void measure_vp(testbed& on, const benchmark_options& options, const runner& run);

/// A permutation: in each superstep every VP sends one message, to destination[rank].
struct traffic {
  /// Supersteps that come first and are not timed: buffers grow to their size in them.
  static constexpr std::size_t warm_up = 2;

  std::vector<std::uint32_t> destination, source;
  std::size_t supersteps;  ///< after the warm-up
};

/// Requires: `destination` is a permutation of 0 … size − 1.
[[nodiscard]] traffic with_sources(std::vector<std::uint32_t> destination, std::size_t supersteps);

/// The permutations: rank to rank + distance, modulo the VPs; to rank xor 1, an odd VP at the end
/// to itself; to anywhere.
[[nodiscard]] std::vector<std::uint32_t> rotated_by(std::size_t vps, std::size_t distance);
[[nodiscard]] std::vector<std::uint32_t> neighbours(std::size_t vps);
[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t vps, std::uint64_t seed);

/// The program of each VP: 8-byte messages as `plan` says. `seconds` becomes the time of the
/// supersteps after the warm-up, `wrong` true if a message was lost, doubled or changed.
[[nodiscard]] task<> exchange(vp& me, const traffic& plan, std::uint64_t seed, double& seconds,
                              std::atomic<bool>& wrong);

/// Throws: pleat::error if a message was wrong.
void require_right(const std::atomic<bool>& wrong);

}  // namespace pleat::bench
