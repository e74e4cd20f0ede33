// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "evaluate/lower_bound.hpp"

namespace pleat::bench {

/// n log n / (p log(n/p)) + σ. Above p = n/2 the logarithm of n/p, on its way to 0, counts as 1: a
/// processor with one element still has to take part in log n levels of the graph.
/// Source: section 4.2; Scquizzato, Silvestri, 2014.
[[nodiscard]] inline double fft_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) {
    const double share = static_cast<double>(n) / q;
    return share * std::log2(static_cast<double>(n)) / std::max(1.0, std::log2(share));
  });
}

}  // namespace pleat::bench
