// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>

namespace pleat::bench {

/// Shape of what is transformed: arrays of planes × rows × columns numbers, `batch` of them one
/// behind the other. One plane makes transforms of two dimensions, and one row of one.
struct fft_shape {
  std::size_t planes = 1;
  std::size_t rows = 1;
  std::size_t columns = 0;
  std::size_t batch = 1;

  /// Numbers of each array.
  [[nodiscard]] constexpr std::size_t numbers() const { return planes * rows * columns; }
};

/// The precision: float or double, of real numbers or of the parts of complex ones.
template <class Number> using fft_part = decltype(std::real(Number()));

/// Results a row: of real numbers only those that are not conjugates of others.
template <class Number> constexpr std::size_t spectrum_columns(const fft_shape& shape) {
  return std::floating_point<Number> ? shape.columns / 2 + 1 : shape.columns;
}

}  // namespace pleat::bench
