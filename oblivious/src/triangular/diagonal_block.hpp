// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/matmul/kernels.hpp>

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

/// Inverts a lower triangular n × n matrix, whose elements `of` has, to the rows of `inverse`, n
/// elements each; its upper triangle becomes 0.
template <class T>
void invert_lower(const matmul::factor<T>& of, bool unit_diagonal, std::size_t n, T* inverse) {
  std::fill_n(inverse, n * n, T{});
  for (std::size_t i = 0; i < n; ++i) {
    T* const row = inverse + i * n;
    for (std::size_t k = 0; k < i; ++k) {
      const T x = of.element(i, k);
      const T* const above = inverse + k * n;
      for (std::size_t j = 0; j <= k; ++j) row[j] -= x * above[j];
    }
    const T scale = unit_diagonal ? T(1) : 1 / of.element(i, i);
    for (std::size_t j = 0; j < i; ++j) row[j] *= scale;
    row[i] = scale;
  }
}

}  // namespace pleat::detail::triangular
