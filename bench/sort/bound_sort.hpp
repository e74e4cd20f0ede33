// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "fft/bound_fft.hpp"

namespace pleat::bench {

/// Sorting by comparisons: as fft_lower_bound. Source: section 4.3; Scquizzato, Silvestri, 2014.
[[nodiscard]] inline double sort_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return fft_lower_bound(n, p, sigma);
}

}  // namespace pleat::bench
