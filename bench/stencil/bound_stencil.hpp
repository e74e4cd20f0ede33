// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>

#include "evaluate/lower_bound.hpp"

namespace pleat::bench {

/// Stencils of n^d points for n steps, the neighbours at distance 1 in every dimension:
/// n^d/p^((d − 1)/d) + σ, for p ≤ n^d. Requires d ≥ 1. Source: section 4.4.
[[nodiscard]] inline double stencil_lower_bound(std::size_t n, unsigned d, std::size_t p,
                                                double sigma) {
  assert(d >= 1);
  return lower_bound(p, sigma, [n, d](double q) {
    return std::pow(static_cast<double>(n), d) / std::pow(q, (d - 1.0) / d);
  });
}

}  // namespace pleat::bench
