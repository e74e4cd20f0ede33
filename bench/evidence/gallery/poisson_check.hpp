// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace pleat::bench {

/// Tells whether u, of the mean 0, solves −Δu = f − mean(f), by differences of neighbours on a
/// torus.
inline bool solves_poisson(const std::vector<std::complex<double>>& u,
                           const std::vector<std::complex<double>>& f, std::size_t rows,
                           std::size_t columns) {
  using number = std::complex<double>;
  const auto mean = [](const std::vector<number>& of) {
    number sum = 0;
    for (const number& x : of) sum += x;
    return sum / static_cast<double>(std::max<std::size_t>(1, of.size()));
  };
  const auto square = [](std::size_t n) { return static_cast<double>(n) * static_cast<double>(n); };
  const auto at = [&](std::size_t i, std::size_t j) { return u[i % rows * columns + j % columns]; };
  const number left_out = mean(f);
  double greatest = 0;
  for (const number& x : f) greatest = std::max(greatest, std::abs(x));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const number here = at(i, j);
      const number down = square(rows) * (2.0 * here - at(i + 1, j) - at(i + rows - 1, j));
      const number along = square(columns) * (2.0 * here - at(i, j + 1) - at(i, j + columns - 1));
      if (std::abs(down + along - (f[i * columns + j] - left_out)) > 1e-8 * (1 + greatest))
        return false;
    }
  return std::abs(mean(u)) < 1e-9 * (1 + greatest);
}

}  // namespace pleat::bench
