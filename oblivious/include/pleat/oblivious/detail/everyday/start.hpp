// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>

#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/run_report.hpp>

// How much of a call its caller's thread does alone. The cost of a callable is unknown before it
// is called; so the call begins alone, and looks at the clock.
namespace pleat::detail::everyday {

using work_clock = std::chrono::steady_clock;

/// Less than this is not worth a processor: to wake one that polls takes 1 µs, and one that sleeps
/// up to some 50 µs.
inline constexpr std::chrono::nanoseconds least_per_processor{10'000};
/// Shorter measurements say little, and would cost more than they are worth.
inline constexpr std::chrono::nanoseconds least_measured{1'000};

/// What is left when the caller's thread has begun: units from `done` on, for so many VPs.
struct remainder {
  std::size_t done;
  std::size_t vps;
};

/// Calls work(first, last) for units 0 … n − 1, in order, up to where it is worth to go on with
/// several processors, or to the end. The batches grow 16-fold while they are too short to measure,
/// then double, up to `most` units: of uneven work, few do not tell how long many take. With as
/// many VPs as are asked for, nothing is done alone, unless that is one.
template <class Work>
remainder start_alone(const char* name, venue& where, const std::optional<std::size_t>& asked,
                      run_report* report, std::size_t n, const Work& work,
                      std::size_t most = std::numeric_limits<std::size_t>::max()) {
  if (report != nullptr) *report = {};
  if (asked) {
    const std::size_t vps = choose_vps(name, asked, 1, 1);
    if (vps > 1) return {0, vps};
    const alone_scope alone;
    work(std::size_t{0}, n);
    return {n, 1};
  }
  std::size_t done = 0;
  std::size_t batch = 1;
  work_clock::time_point before = work_clock::now();
  while (done < n) {
    batch = std::min({batch, n - done, most});
    {
      const alone_scope alone;
      work(done, done + batch);
    }
    done += batch;
    if (done == n) break;
    const work_clock::time_point after = work_clock::now();
    const std::chrono::nanoseconds taken = after - before;
    before = after;
    if (taken < least_measured) {
      batch *= 16;
      continue;
    }
    const double left = static_cast<double>(taken.count()) *
                        (static_cast<double>(n - done) / static_cast<double>(batch));
    const double worth = left / static_cast<double>(least_per_processor.count());
    if (worth >= 2) {
      const std::size_t vps = choose_vps(name, asked, worth, where.threads());
      if (vps > 1) return {done, vps};
      const alone_scope alone;
      work(done, n);
      return {n, 1};
    }
    batch *= 2;
  }
  return {n, 1};
}

/// How many VPs move n elements of so many bytes: a call that costs nothing but memory traffic need
/// not be measured.
[[nodiscard]] inline std::size_t vps_for_bytes(const char* name, venue& where,
                                               const std::optional<std::size_t>& asked,
                                               std::size_t n, std::size_t bytes) {
  const double grains =
      static_cast<double>(n) * static_cast<double>(bytes) / static_cast<double>(least_bytes_per_vp);
  const std::size_t most = asked || grains < 2 ? 1 : where.threads();
  return choose_vps(name, asked, grains, most);
}

}  // namespace pleat::detail::everyday
