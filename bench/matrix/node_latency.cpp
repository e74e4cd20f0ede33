// SPDX-License-Identifier: Apache-2.0
#include "node_latency.hpp"

#include <algorithm>
#include <atomic>

#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "node_traffic.hpp"

namespace pleat::bench {
namespace {

double seconds_of_a_read(const node_memory::place* at) {
  constexpr double window = 0.01;
  constexpr std::size_t at_once = 1024;
  at = follow(at, at_once);
  const auto start = benchmark_clock::now();
  std::size_t steps = 0;
  double seconds = 0;
  do {
    at = follow(at, at_once);
    steps += at_once;
    seconds = seconds_since(start);
  } while (seconds < window);
  use(at);
  return seconds / static_cast<double>(steps);
}

}  // namespace

double node_latency(std::span<const unsigned> pus, const node_memory& memory,
                    std::mt19937_64& random) {
  constexpr std::size_t at_once = 32768;  // numbers between two looks at `over`
  const std::size_t share = memory.numbers().size() / pus.size();
  // A random place: what the sample before has read may still be in a cache.
  const node_memory::place* const from = &memory.places()[random() % memory.places().size()];
  std::atomic<bool> over{false};
  double seconds = 0;
  run_pinned(pus, [&](std::size_t who) {
    if (who == 0) {
      seconds = seconds_of_a_read(from);
      over.store(true, std::memory_order_relaxed);  // pairs with the loads below: nothing else
      return;
    }
    const auto own = memory.numbers().subspan(who * share, share);
    for (std::size_t at = 0; !over.load(std::memory_order_relaxed); at += at_once) {
      if (at >= own.size()) at = 0;
      use(read_in_order(own.subspan(at, std::min(at_once, own.size() - at))));
    }
  });
  return seconds;
}

}  // namespace pleat::bench
