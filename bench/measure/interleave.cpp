// SPDX-License-Identifier: Apache-2.0
#include "interleave.hpp"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <numeric>
#include <random>
#include <thread>

namespace pleat::bench {

namespace {

double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

sample sample_of(const candidate& one, const pace& pace, double least_seconds) {
  std::this_thread::sleep_for(pace.rest);
  double before = processor_seconds(), total = one.sample();
  std::size_t count = 1;
  const bool again = total < std::chrono::duration<double>(pace.repeat_below).count();
  if (again) {
    before = processor_seconds();
    total = one.sample();
  }
  for (; total < least_seconds && (again || pace.repeat_below.count() == 0); ++count)
    total += one.sample();
  const auto operations = static_cast<double>(count);
  return {total / operations, (processor_seconds() - before) / operations, count};
}

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
      const double seconds = sample_of(candidates[index], pace).seconds;
      if (round > 0) results[index].seconds.push_back(seconds);
    }
    if (progress) progress(round + 1, repetitions + 1);
  }
  return results;
}

}  // namespace pleat::bench
