// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>

#include <pleat/oblivious/detail/everyday/start.hpp>

namespace pleat::detail::everyday {

namespace {

using work_clock = std::chrono::steady_clock;

/// Less than this is not worth a processor: to wake one that polls takes 1 µs, and one that sleeps
/// up to some 50 µs.
constexpr std::chrono::nanoseconds least_per_processor{10'000};
/// Shorter measurements say little, and would cost more than they are worth.
constexpr std::chrono::nanoseconds least_measured{1'000};

}  // namespace

void empty_report(run_report& report) { report = {}; }

remainder start_measured(const char* name, executor& where, const std::optional<std::size_t>& asked,
                         std::size_t n, any_work work, seen_pace* seen, std::size_t batch,
                         std::size_t unit, std::size_t most, bool searches) {
  const auto alone = [&work](std::size_t first, std::size_t last) {
    const alone_scope inside;
    if (first < last) work(first, last);
  };
  if (asked) {
    const std::size_t vps = choose_vps(name, asked, 1, 1);
    if (vps > 1) return {0, vps};
    alone(0, n);
    return {n, 1};
  }
  // Earlier calls have told how many units are worth a processor. A search may end early.
  if (seen != nullptr && !searches && batch > 1 && n / batch >= 4) {
    const std::size_t vps =
        choose_vps(name, asked, static_cast<double>(n / batch), where.threads());
    if (vps > 1) return {0, vps};
  }
  std::size_t done = 0;
  work_clock::time_point before = work_clock::now();
  while (done < n) {
    batch = std::min({batch, n - done, most});
    alone(done, done + batch);
    done += batch;
    if (done == n && seen == nullptr) break;
    const work_clock::time_point after = work_clock::now();
    const std::chrono::nanoseconds taken = after - before;
    before = after;
    // Units that are worth a processor.
    const double grain = static_cast<double>(least_per_processor.count()) *
                         static_cast<double>(batch) /
                         static_cast<double>(std::max<std::int64_t>(taken.count(), 1));
    if (seen != nullptr)
      seen->quick = unit * static_cast<std::size_t>(
                               std::clamp(grain, 1.0, 16.0 * static_cast<double>(batch)));
    if (taken < least_measured) {
      batch *= 16;
      continue;
    }
    const double worth = static_cast<double>(n - done) / grain;
    if (worth >= 2) {
      const std::size_t vps = choose_vps(name, asked, worth, where.threads());
      if (vps > 1) return {done, vps};
      alone(done, n);
      return {n, 1};
    }
    batch *= 2;
  }
  return {n, 1};
}

}  // namespace pleat::detail::everyday
