// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>

namespace pleat::detail::stencils {

/// Argument of a kernel for a field: a cell and its neighbours one step ago. With `Two` the kernel
/// may also read the cell itself two steps ago, which is where the new value will be stored.
///
/// The neighbours of an inner cell are at the distances of the strides. `Row` counts rows (the last
/// dimension but one) from the row of the pointers: adjacent rows that are updated together use the
/// same expressions for common neighbours, so that the compiler loads them once.
template <class T, std::size_t D, bool Two, int Row = 0> struct inner_cell {
  const T* at;
  const T* own;  ///< place of the new value
  std::array<offset, D> stride;

  [[gnu::always_inline]] const T& operator()(int dx) const requires(D == 1) {
    assert(dx * dx <= 1);
    return at[dx];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy) const requires(D == 2) {
    assert(dx * dx <= 1 && dy * dy <= 1);
    return at[(Row + dx) * stride[0] + dy];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy, int dz) const requires(D == 3) {
    assert(dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1);
    return at[dx * stride[0] + (Row + dy) * stride[1] + dz];
  }
  [[gnu::always_inline]] const T& before() const requires(Two) { return *own; }
};

/// Offsets of the neighbours of an index in one dimension: below it, itself, above it.
using neighbours = std::array<offset, 3>;

/// A cell at a wall in some dimension, where the boundary determines its neighbours. With `End` the
/// last dimension is one of these, else the neighbours in it are adjacent.
template <class T, std::size_t D, bool Two, bool End> struct wall_cell {
  const T* at;
  const T* own;
  std::array<neighbours, D> to;

  [[gnu::always_inline]] const T& operator()(int dx) const requires(D == 1) { return at[last(dx)]; }
  [[gnu::always_inline]] const T& operator()(int dx, int dy) const requires(D == 2) {
    return at[way(0, dx) + last(dy)];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy, int dz) const requires(D == 3) {
    return at[way(0, dx) + way(1, dy) + last(dz)];
  }
  [[gnu::always_inline]] const T& before() const requires(Two) { return *own; }

 private:
  [[gnu::always_inline]] offset way(std::size_t i, int d) const {
    assert(d * d <= 1);
    return to[i][static_cast<std::size_t>(d + 1)];
  }
  [[gnu::always_inline]] offset last(int d) const {
    assert(d * d <= 1);
    if constexpr (End)
      return way(D - 1, d);
    else
      return d;
  }
};

}  // namespace pleat::detail::stencils
