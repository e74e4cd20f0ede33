// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>

#include "evaluate/lower_bound.hpp"

namespace pleat::bench {

/// √n × √n matrices over a semiring: n/p^(2/3) + σ.
/// Source: section 4.1; Scquizzato, Silvestri, Communication Lower Bounds for Distributed-Memory
/// Computations, 2014.
[[nodiscard]] inline double matmul_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::cbrt(q * q); });
}

/// Bound where a processor has room for O(n/p) elements only: n/√p + σ. Source: section 4.1; Irony,
/// Toledo, Tiskin, Communication Lower Bounds for Distributed-Memory Matrix Multiplication, 2004.
[[nodiscard]] inline double matmul_in_place_lower_bound(std::size_t n, std::size_t p,
                                                        double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::sqrt(q); });
}

}  // namespace pleat::bench
