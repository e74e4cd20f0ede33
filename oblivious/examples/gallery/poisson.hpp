// SPDX-License-Identifier: Apache-2.0
//
// Poisson's equation −Δu = f on a square whose opposite sides are joined, by Fourier transforms: in
// their terms Δ is a number for each frequency, and to solve is to divide. The equation is real, so
// two right-hand sides go through one complex transform, as real and imaginary parts.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/for_each.hpp>

namespace gallery {

using field = pleat::strided_view<std::complex<double>>;

/// Factors by which −Δ, as differences of neighbours at distance 1/n, multiplies the frequencies of
/// n points.
inline std::vector<double> laplace_numbers(std::size_t n) {
  std::vector<double> numbers(n);
  const auto size = static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k)
    numbers[k] =
        2 * size * size * (1 - std::cos(2 * std::numbers::pi * static_cast<double>(k) / size));
  return numbers;
}

/// Solves in place: f becomes u. Both have the mean 0; that of f, which no u could have, is left
/// out.
inline void solve_poisson(pleat::machine& on, field f) {
  const std::vector<double> down = laplace_numbers(f.rows), along = laplace_numbers(f.columns);
  pleat::fft2(on, f);
  pleat::for_each_index(on, f.rows, [&](std::size_t i) {
    for (std::size_t j = 0; j < f.columns; ++j) {
      const double number = down[i] + along[j];
      f(i, j) = number == 0 ? 0 : f(i, j) / number;
    }
  });
  pleat::fft2(on, f, {.direction = pleat::fft_direction::inverse});
}

}  // namespace gallery
