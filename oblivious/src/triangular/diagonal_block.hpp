// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/kernels.hpp>
#include <pleat/runtime/interval.hpp>

// Loops over blocks on the diagonal, which compilers make vectors of.
namespace pleat::detail::triangular {

/// Factorises the lower triangle of an n × n block in place. `column` has n elements. Returns the
/// row where it is not positive definite.
template <class T>
std::optional<std::size_t> factorise_block(T* a, std::size_t leading, std::size_t n, T* column) {
  for (std::size_t k = 0; k < n; ++k) {
    const T pivot = a[k * leading + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return k;
    const T root = std::sqrt(pivot);
    a[k * leading + k] = root;
    for (std::size_t i = k + 1; i < n; ++i) column[i] = a[i * leading + k] /= root;
    for (std::size_t i = k + 1; i < n; ++i) {
      T* const row = a + i * leading;
      const T x = column[i];
      for (std::size_t j = k + 1; j <= i; ++j) row[j] -= x * column[j];
    }
  }
  return {};
}

/// Rows or columns of a triangle that are substituted one by one: larger parts are halved, and the
/// second half is updated by a product. With inverses of blocks the error would grow with the
/// condition of the block (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// section 8.1).
inline constexpr std::size_t substituted = 8;

/// Halves of an interval, the first a multiple of `substituted`.
inline std::size_t middle_of(const interval<>& all) noexcept {
  return all.first + (all.size() / 2 + substituted - 1) / substituted * substituted;
}

/// Solves op(A)·X = B in place for rows `rows` of B, of `columns` columns, from the first to the
/// last if `forward`. Element (i, j) of the triangle is triangle.element(i, j); row i of B begins
/// at b + i · leading.
template <class T>
void substitute_rows(const matmul::factor<T>& triangle, bool unit_diagonal, bool forward,
                     const interval<>& rows, T* b, std::size_t leading, std::size_t columns) {
  for (std::size_t step = 0; step < rows.size(); ++step) {
    const std::size_t i = forward ? rows.first + step : rows.last - 1 - step;
    T* const row = b + i * leading;
    const interval<> done = forward ? interval<>{rows.first, i} : interval<>{i + 1, rows.last};
    for (std::size_t k = done.first; k < done.last; ++k) {
      const T x = triangle.element(i, k);
      const T* const other = b + k * leading;
      for (std::size_t j = 0; j < columns; ++j) row[j] -= x * other[j];
    }
    if (unit_diagonal) continue;
    const T pivot = triangle.element(i, i);
    for (std::size_t j = 0; j < columns; ++j) row[j] /= pivot;
  }
}

/// Solves X·Lᵀ = B in place for columns `columns`, `substituted` at most, of `rows` rows of B, row
/// i of which begins at b + i · leading. L is lower triangular, its row i at l + i · leading too.
template <class T>
void substitute_columns(const T* l, const interval<>& columns, T* b, std::size_t leading,
                        std::size_t rows) {
  // Rows are independent: some of them at once, transposed, so that loops over them are vectors.
  constexpr std::size_t at_once = 16;
  std::array<std::array<T, at_once>, substituted> x{};
  for (std::size_t first = 0; first < rows; first += at_once) {
    T* const part = b + first * leading + columns.first;
    const std::size_t count = std::min(at_once, rows - first);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) x[j][i] = part[i * leading + j];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const T* const of = l + (columns.first + j) * leading + columns.first;
      for (std::size_t k = 0; k < j; ++k)
        for (std::size_t i = 0; i < at_once; ++i) x[j][i] -= of[k] * x[k][i];
      for (std::size_t i = 0; i < at_once; ++i) x[j][i] /= of[j];
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) part[i * leading + j] = x[j][i];
  }
}

}  // namespace pleat::detail::triangular
