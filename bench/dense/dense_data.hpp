// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "sort/distribution.hpp"

// Matrices in rows without gaps, and what must hold of results, by some 32 rows of large ones.
namespace pleat::bench {

/// A random number from 0 to 1.
inline double fraction(std::uint64_t index) {
  return static_cast<double>(mixed(index) >> 11) * 0x1p-53;
}

template <class T> void fill_fractions(std::span<T> numbers, std::uint64_t seed) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<T>(fraction(seed * numbers.size() + i) - 0.5);
}

/// Fills a symmetric n × n matrix, positive definite as its diagonal dominates.
template <class T> void fill_positive_definite(std::span<T> a, std::size_t n, std::uint64_t seed) {
  fill_fractions(a, seed);
  for (std::size_t i = 0; i < n; ++i) {
    a[i * n + i] = static_cast<T>(n);
    for (std::size_t j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
  }
}

/// Fills a matrix whose lower triangle has an inverse of moderate numbers.
template <class T> void fill_triangle(std::span<T> a, std::size_t n, std::uint64_t seed) {
  fill_fractions(a, seed);
  const T scale = 1 / std::sqrt(static_cast<T>(n));
  for (T& x : a) x *= scale;
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = static_cast<T>(1 + fraction(seed + i));
}

/// Σ a[i]·b[i·step] differs from `wanted` by rounding.
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

/// L·Lᵀ = A, in the lower triangle.
template <class T> bool factor_right(std::span<const T> a, std::size_t n, std::span<const T> l) {
  for (std::size_t i = 0; i < n; i += 1 + n / 32)
    for (std::size_t j = 0; j <= i; ++j)
      if (!product_right(&l[i * n], &l[j * n], 1, j + 1, a[i * n + j])) return false;
  return true;
}

/// L·X = B for the lower triangle of `a`, and m columns of B.
template <class T>
bool solution_right(std::span<const T> a, std::size_t n, std::span<const T> x,
                    std::span<const T> b) {
  const std::size_t m = b.size() / n;
  for (std::size_t i = 0; i < n; i += 1 + n / 32)
    for (std::size_t j = 0; j < m; ++j)
      if (!product_right(&a[i * n], &x[j], m, i + 1, b[i * m + j])) return false;
  return true;
}

/// Element (i, j) of one n × n matrix is element (j, i) of the other.
template <class T>
bool transposed_right(std::span<const T> in, std::size_t n, std::span<const T> out) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (out[j * n + i] != in[i * n + j]) return false;
  return true;
}

}  // namespace pleat::bench
