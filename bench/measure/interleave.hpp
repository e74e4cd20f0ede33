// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pleat::bench {

/// One of several ways to do the same, measured side by side with the others.
struct candidate {
  std::string name;
  std::function<void()> verify;    ///< does it once and throws if the result is wrong
  std::function<double()> sample;  ///< seconds per operation, prepared afresh, one repetition
};

/// All samples of one candidate, in the order they were taken.
struct measurement {
  std::string name;
  std::vector<double> seconds;
};

/// Pace at which candidates follow each other.
struct pace {
  std::chrono::milliseconds rest{0};  ///< before each
  /// A sample that took less is taken once more, and that one counts.
  std::chrono::milliseconds repeat_below{0};
};

/// Pace for samples that are one call. In the pause idle threads of whoever was measured last go to
/// sleep: OpenBLAS's look for work during 2^26 ticks of the time-stamp counter, libgomp's 300,000
/// times, oneTBB's less. The first of two samples wakes those of whoever comes next; that takes a
/// millisecond or two, a hundredth of what needs no second one.
inline constexpr pace single_calls{.rest = std::chrono::milliseconds(60),
                                   .repeat_below = std::chrono::milliseconds(200)};

/// Sample of one candidate: means over the operations in it.
struct sample {
  double seconds = 0;      ///< of an operation
  double cpu_seconds = 0;  ///< processor time of the process, making the data fresh included
  std::size_t iterations = 0;
};

/// Takes a sample at that pace: one operation, or as many as take `least_seconds` together.
[[nodiscard]] sample sample_of(const candidate& one, const pace& pace, double least_seconds = 0);

/// Verifies every candidate, then takes `repetitions` samples of each.
///
/// Every round samples each candidate once, in a fresh random order, so that a drift of the clock
/// frequency or of the machine's load falls on all of them alike. One round that is not kept goes
/// first: it warms caches, pages and thread pools.
///
/// Requires: repetitions > 0.
/// Returns: one measurement per candidate, in their order.
/// Throws: what verify and sample throw. Nothing is timed unless everything verified.
/// `progress(done, total)` is called after each round, the first one included.
[[nodiscard]] std::vector<measurement> interleave(
    const std::vector<candidate>& candidates, std::size_t repetitions, std::uint64_t seed,
    const pace& pace = {}, const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace pleat::bench
