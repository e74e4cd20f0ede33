// SPDX-License-Identifier: Apache-2.0
#include "node_bandwidth.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "measure/clock.hpp"
#include "measure/pinned_threads.hpp"
#include "node_traffic.hpp"

namespace pleat::bench {

double node_bandwidth(std::span<const unsigned> pus, const node_memory& memory) {
  constexpr double window = 0.02;
  constexpr std::size_t at_once = 32768;  // numbers between two looks at the clock
  const std::size_t share = memory.numbers().size() / pus.size();
  std::vector<double> rates(pus.size());
  run_pinned(pus, [&](std::size_t who) {
    const auto own = memory.numbers().subspan(who * share, share);
    const auto start = benchmark_clock::now();
    std::size_t read = 0;
    double seconds = 0;
    do {
      const std::size_t at = read % own.size();
      const auto part = own.subspan(at, std::min(at_once, own.size() - at));
      use(read_in_order(part));
      read += part.size();
      seconds = seconds_since(start);
    } while (seconds < window);
    rates[who] = static_cast<double>(read * sizeof(std::uint64_t)) / seconds;
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace pleat::bench
