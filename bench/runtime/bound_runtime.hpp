// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evaluate/lower_bound.hpp"

namespace pleat::bench {

/// n messages from one virtual processor to one that another processor carries out: n + σ, and
/// exactly so, since they leave the first of the two one after the other.
/// Source: section 5 (the example of a program that is full but not wise).
[[nodiscard]] inline double point_to_point_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return lower_bound(p, sigma, [n](double) { return static_cast<double>(n); });
}

}  // namespace pleat::bench
