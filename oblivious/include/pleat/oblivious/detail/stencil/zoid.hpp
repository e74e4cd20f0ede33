// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>

namespace pleat::detail::stencils {

/// One dimension of a tile in space and time: at step k the cells [first + k·left, last + k·right).
/// Slopes are −1, 0, 1. Indices may leave a periodic grid.
struct extent {
  offset first = 0, last = 0;
  int left = 0, right = 0;
  bool cut = true;  ///< may be cut further; else every part of the tile has all of it

  [[nodiscard]] constexpr offset low(offset k) const noexcept { return first + k * left; }
  [[nodiscard]] constexpr offset high(offset k) const noexcept { return last + k * right; }
};

/// A tile: the steps [0, height) of a box that grows or shrinks. It is upright in dimensions in
/// which it shrinks, so that it needs no neighbouring tile; inverted in dimensions in which it
/// grows from nothing between two upright tiles.
template <std::size_t D> struct zoid {
  std::array<extent, D> in;
  offset from = 0;  ///< number of its step 0 in the run
  offset height = 0;
};

/// A part of a tile: steps [first, last), and in every dimension that may be cut the cells x with
/// low ≤ x + k < high, where x + k is the skewed coordinate. A cell depends only on cells at lower
/// or equal steps and skewed coordinates. So for all cuts the lower part goes first.
template <std::size_t D> struct part_of_zoid {
  offset first, last;
  std::array<offset, D> low, high;
};

/// Tells whether a part has the cells [low − k, high − k) at every step k.
constexpr bool leaning(const extent& e, const part_of_zoid<1>& part) noexcept {
  if (!e.cut) return false;
  for (const offset k : {part.first, part.last - 1})
    if (e.low(k) + k > part.low[0] || e.high(k) + k < part.high[0]) return false;
  return true;
}

/// The cells of a part at step k of its tile.
template <std::size_t D>
constexpr box<D> section(const zoid<D>& tile, const part_of_zoid<D>& part, offset k) noexcept {
  box<D> cells;
  for (std::size_t i = 0; i < D; ++i) {
    const extent& e = tile.in[i];
    cells.sides[i] = {e.low(k), e.high(k)};
    if (e.cut) cells.sides[i] = intersect(cells.sides[i], {part.low[i] - k, part.high[i] - k});
  }
  return cells;
}

}  // namespace pleat::detail::stencils
