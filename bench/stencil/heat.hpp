// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pleat::bench {

// Explicit steps of the heat equation on a row, a plane or a box of cells whose outermost stay as
// they are: 3, 5 and 7 points. Everybody adds in the same order, and the
// factors are powers of two, which fused products and sums round as others: results agree bit for
// bit.

/// Kernels for pleat::stencil. T is the type of a cell.
template <class T, std::size_t D> struct heat_kernel;
template <class T> struct heat_kernel<T, 1> {
  auto operator()(const auto& u) const { return T(0.5) * u(0) + T(0.25) * (u(-1) + u(1)); }
};
template <class T> struct heat_kernel<T, 2> {
  auto operator()(const auto& u) const {
    return T(0.5) * u(0, 0) + T(0.125) * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  }
};
template <class T> struct heat_kernel<T, 3> {
  auto operator()(const auto& u) const {
    return T(0.25) * u(0, 0, 0) + T(0.125) * (u(-1, 0, 0) + u(1, 0, 0) + u(0, -1, 0) + u(0, 1, 0) +
                                              u(0, 0, -1) + u(0, 0, 1));
  }
};

/// One step of rows [first, last) (planes, in three dimensions; cells, in one): the loops people
/// write. Rows have n cells, and planes n rows. Requires that no row is an outermost one.
template <std::size_t D, class T>
inline void heat_rows(std::ptrdiff_t n, const T* __restrict from, T* __restrict to,
                      std::ptrdiff_t first, std::ptrdiff_t last) {
  if constexpr (D == 1) {
    for (std::ptrdiff_t i = first; i < last; ++i)
      to[i] = T(0.5) * from[i] + T(0.25) * (from[i - 1] + from[i + 1]);
  } else if constexpr (D == 2) {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      for (std::ptrdiff_t j = 1; j < n - 1; ++j) {
        const T* const u = from + i * n + j;
        to[i * n + j] = T(0.5) * u[0] + T(0.125) * (u[-n] + u[n] + u[-1] + u[1]);
      }
    }
  } else {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      for (std::ptrdiff_t j = 1; j < n - 1; ++j) {
        for (std::ptrdiff_t k = 1; k < n - 1; ++k) {
          const std::ptrdiff_t at = (i * n + j) * n + k;
          const T* const u = from + at;
          to[at] = T(0.25) * u[0] + T(0.125) * (u[-n * n] + u[n * n] + u[-n] + u[n] + u[-1] + u[1]);
        }
      }
    }
  }
}

}  // namespace pleat::bench
