// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "evaluate/lower_bound.hpp"

namespace pleat::bench {

/// One value to all processors: max(2, σ) · log_max(2, σ) p, whatever n is.
/// A superstep of degree h makes those that know it at most h + 1 times as many. The formula goes
/// on smoothly below one superstep: for σ > p it is less than the σ that the only one there is
/// costs. Source: section 4.5, Theorem 7.
[[nodiscard]] inline double broadcast_lower_bound(std::size_t p, double sigma) {
  assert(p >= 1 && sigma >= 0);
  const double degree = std::max(2.0, sigma);
  return degree * std::log2(static_cast<double>(p)) / std::log2(degree);
}

/// Prefix sums with any associative operator, one value in each virtual processor: as broadcast.
/// The last result depends on the values of all processors, and by the argument of broadcast read
/// backwards a superstep of degree h makes what a value depends on at most h + 1 times as many.
/// Source: ours, from section 4.5.
[[nodiscard]] inline double prefix_lower_bound(std::size_t p, double sigma) {
  return broadcast_lower_bound(p, sigma);
}

}  // namespace pleat::bench
