// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "sort/distribution.hpp"

// Row-major matrices, and checks of results; those of products sample at most 32 rows.
namespace pleat::bench {

/// Hashes the index to a number in [0, 1).
inline double fraction(std::uint64_t index) {
  return static_cast<double>(mixed(index) >> 11) * 0x1p-53;
}

template <class T> void fill_fractions(std::span<T> numbers, std::uint64_t seed) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<T>(fraction(seed * numbers.size() + i) - 0.5);
}

/// Fills a symmetric n × n matrix; it is positive definite, because its diagonal dominates.
template <class T> void fill_positive_definite(std::span<T> a, std::size_t n, std::uint64_t seed) {
  fill_fractions(a, seed);
  for (std::size_t i = 0; i < n; ++i) {
    a[i * n + i] = static_cast<T>(n);
    for (std::size_t j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
  }
}

/// Fills a matrix whose lower triangle has an inverse with elements of moderate size.
template <class T> void fill_triangle(std::span<T> a, std::size_t n, std::uint64_t seed) {
  fill_fractions(a, seed);
  const T scale = 1 / std::sqrt(static_cast<T>(n));
  for (T& x : a) x *= scale;
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = static_cast<T>(1 + fraction(seed + i));
}

/// Tells whether Σ a[i]·b[i·step] equals `wanted`, up to rounding.
template <class T>
bool product_right(const T* a, const T* b, std::size_t step, std::size_t n, T wanted) {
  double sum = 0, size = std::abs(static_cast<double>(wanted));
  for (std::size_t i = 0; i < n; ++i) {
    const double term = static_cast<double>(a[i]) * static_cast<double>(b[i * step]);
    sum += term;
    size += std::abs(term);
  }
  return std::abs(sum - static_cast<double>(wanted)) <=
         256.0 * std::numeric_limits<T>::epsilon() * size;
}

/// Tells whether L·Lᵀ = A in the lower triangle.
template <class T> bool factor_right(std::span<const T> a, std::size_t n, std::span<const T> l) {
  for (std::size_t i = 0; i < n; i += 1 + n / 32)
    for (std::size_t j = 0; j <= i; ++j)
      if (!product_right(&l[i * n], &l[j * n], 1, j + 1, a[i * n + j])) return false;
  return true;
}

/// Tells whether L·X = B, where L is the lower triangle of `a`.
template <class T>
bool solution_right(std::span<const T> a, std::size_t n, std::span<const T> x,
                    std::span<const T> b) {
  const std::size_t m = b.size() / n;
  for (std::size_t i = 0; i < n; i += 1 + n / 32)
    for (std::size_t j = 0; j < m; ++j)
      if (!product_right(&a[i * n], &x[j], m, i + 1, b[i * m + j])) return false;
  return true;
}

/// Tells whether one n × n matrix is the transpose of the other, in all elements.
template <class T>
bool transposed_right(std::span<const T> in, std::size_t n, std::span<const T> out) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (out[j * n + i] != in[i * n + j]) return false;
  return true;
}

}  // namespace pleat::bench
