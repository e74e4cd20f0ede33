// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pleat::bench {
namespace {

double interpolate(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

std::vector<double> in_order(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  assert(!samples.empty() && q >= 0 && q <= 1);
  return interpolate(in_order(samples), q);
}

summary summarise(std::span<const double> samples) {
  assert(!samples.empty());
  const auto sorted = in_order(samples);
  return {interpolate(sorted, 0.5), interpolate(sorted, 0.25), interpolate(sorted, 0.75),
          sorted.front()};
}

namespace {

// Number of the smallest samples, and of the largest, that lie outside the interval or on its
// bounds: 0 where there is no interval.
std::size_t rank_of_bounds(std::size_t samples, double confidence) {
  const auto m = static_cast<double>(samples);
  const double allowed = (1 - confidence) / 2;
  // Logarithms: 2^-m is no double from m = 1075 on.
  double log_term = -m * std::log(2.0);  // of P(B = rank)
  double below = 0;                      // P(B < rank)
  std::size_t rank = 0;
  while (rank < samples) {
    below += std::exp(log_term);
    if (below > allowed) break;
    ++rank;
    const auto k = static_cast<double>(rank);
    log_term += std::log((m - k + 1) / k);
  }
  return rank;
}

}  // namespace

std::optional<interval> median_interval(std::span<const double> samples, double confidence) {
  assert(confidence > 0 && confidence < 1);
  const std::size_t rank = rank_of_bounds(samples.size(), confidence);
  if (rank == 0) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return interval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

}  // namespace pleat::bench
