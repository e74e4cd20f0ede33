// SPDX-License-Identifier: Apache-2.0
#include "interleave.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <random>
#include <thread>

namespace pleat::bench {

std::vector<measurement> interleave(const std::vector<candidate>& candidates,
                                    std::size_t repetitions, std::uint64_t seed, const pace& pace,
                                    const std::function<void(std::size_t, std::size_t)>& progress) {
  assert(repetitions > 0);
  std::vector<measurement> results;
  for (const auto& one : candidates) {
    if (one.verify) one.verify();
    results.push_back({one.name, {}});
    results.back().seconds.reserve(repetitions);
  }

  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t round = 0; round <= repetitions; ++round) {
    std::ranges::shuffle(order, random);
    for (std::size_t index : order) {
      std::this_thread::sleep_for(pace.rest);
      double seconds = candidates[index].sample();
      if (seconds < std::chrono::duration<double>(pace.repeat_below).count())
        seconds = candidates[index].sample();
      if (round > 0) results[index].seconds.push_back(seconds);
    }
    if (progress) progress(round + 1, repetitions + 1);
  }
  return results;
}

}  // namespace pleat::bench
