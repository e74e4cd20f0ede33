// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <pleat/channels/cache_line.hpp>
#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Loops whose iterations are independent: one superstep, without a barrier.
namespace pleat::detail::everyday {

/// Divides the remaining iterations into a share for each VP.
template <class Options, class Work>
void loop(const char* name, executor& where, const Options& options, std::size_t n,
          const Work& work, pace how = pace::measured) {
  const remainder left = everyday::start_alone(name, where, options, n, work, how);
  if (left.done == n) return;
  const interval<> all{left.done, n};
  where.run(left.vps, options.report, [&work, all](vp& me) -> task<> {
    const interval<> mine = all.share(me.rank(), me.size());
    if (!mine.empty()) work(mine.first, mine.last);
    co_return;
  });
}

/// Chunks of a loop, which VPs take one after the other (dynamic scheduling).
class chunk_counter {
 public:
  chunk_counter(interval<> all, std::size_t chunk) noexcept
      : chunk_(chunk), last_(all.last), next_(all.first) {}

  /// Takes the next chunk; empty if there is none left.
  [[nodiscard]] interval<> take() noexcept {
    std::size_t first = next_.load(std::memory_order_relaxed);
    // Relaxed: it orders nothing but itself; the run's end orders what the chunks did.
    while (first < last_ &&
           !next_.compare_exchange_weak(first, first + std::min(chunk_, last_ - first),
                                        std::memory_order_relaxed, std::memory_order_relaxed)) {
    }
    return {first, first + std::min(chunk_, last_ - std::min(first, last_))};
  }
  /// Stops the loop after a failure: no VP begins another batch.
  void stop() noexcept { next_.store(last_, std::memory_order_relaxed); }

 private:
  const std::size_t chunk_;
  const std::size_t last_;
  alignas(destructive_distance) std::atomic<std::size_t> next_;
};

/// Runs a loop in which VPs take chunks until none is left.
template <class Options, class Work>
void loop_in_chunks(const char* name, executor& where, const Options& options, std::size_t chunk,
                    std::size_t n, const Work& work) {
  if (chunk == 0) {
    throw usage_error(std::string(name) +
                      ": chunks of 0 elements do not end; leave `chunk` unset for fixed parts");
  }
  const remainder left =
      everyday::start_alone(name, where, options, n, work, pace::measured, 1, chunk);
  if (left.done == n) return;
  chunk_counter chunks({left.done, n}, chunk);
  where.run(left.vps, options.report, [&work, &chunks](vp&) -> task<> {
    try {
      for (interval<> next = chunks.take(); !next.empty(); next = chunks.take())
        work(next.first, next.last);
    } catch (...) {
      chunks.stop();
      throw;
    }
    co_return;
  });
}

}  // namespace pleat::detail::everyday
