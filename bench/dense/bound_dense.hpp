// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "evaluate/lower_bound.hpp"

// Bounds for n × n matrices.
namespace pleat::bench {

/// Transposition of a matrix in rows: n²/p + σ, as most elements change their processor.
[[nodiscard]] inline double transpose_lower_bound(std::size_t n, std::size_t p, double sigma) {
  const auto side = static_cast<double>(n);
  return lower_bound(p, sigma, [side](double q) { return side * side / q; });
}

/// Closure, Cholesky's factorisation and n right-hand sides of a triangular matrix, where a
/// processor has room for O(n²/p) elements: n²/√p + σ.
/// Source: Ballard, Demmel, Holtz, Schwartz, Minimizing Communication in Numerical Linear Algebra,
/// 2011.
[[nodiscard]] inline double elimination_lower_bound(std::size_t n, std::size_t p, double sigma) {
  const auto side = static_cast<double>(n);
  return lower_bound(p, sigma, [side](double q) { return side * side / std::sqrt(q); });
}

}  // namespace pleat::bench
