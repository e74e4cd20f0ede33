// SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
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

}  // namespace pleat::bench
