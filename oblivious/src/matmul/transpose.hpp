// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of a matrix become columns of a panel, in registers, for PLEAT_TARGET.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "matmul/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

/// Number of rows and columns that are transposed at a time: vectors of 16 bytes, which every
/// target has but the one without vectors, and the tile with the fewest rows has as many.
template <class Tile>
inline constexpr std::size_t group = HWY_TARGET == HWY_SCALAR ? 1
                                                              : 16 / sizeof(typename Tile::lane);

#if HWY_TARGET == HWY_SCALAR
template <class D, class V> HWY_INLINE void transpose(D /*d*/, V (&/*v*/)[1]) {}
#else
template <class D, class V> HWY_INLINE void transpose(D d, V (&v)[2]) {
  const V first = hn::InterleaveLower(d, v[0], v[1]);
  v[1] = hn::InterleaveUpper(d, v[0], v[1]);
  v[0] = first;
}
template <class D, class V> HWY_INLINE void transpose(D d, V (&v)[4]) {
  const V even_low = hn::InterleaveLower(d, v[0], v[2]);
  const V even_high = hn::InterleaveUpper(d, v[0], v[2]);
  const V odd_low = hn::InterleaveLower(d, v[1], v[3]);
  const V odd_high = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, even_low, odd_low);
  v[1] = hn::InterleaveUpper(d, even_low, odd_low);
  v[2] = hn::InterleaveLower(d, even_high, odd_high);
  v[3] = hn::InterleaveUpper(d, even_high, odd_high);
}
#endif

/// `group` rows that lie `step` apart, as many columns of each: to a panel `width` wide.
template <class Tile, std::size_t... I>
HWY_INLINE void pack_square(const typename Tile::element* HWY_RESTRICT from, std::size_t step,
                            bool conjugate, typename Tile::lane* HWY_RESTRICT to, std::size_t width,
                            std::index_sequence<I...> /*rows*/) {
  const hn::FixedTag<typename Tile::lane, group<Tile>> d;
  using V = hn::Vec<decltype(d)>;
  if constexpr (Tile::parts == 1) {
    V v[] = {Tile::pack(d, from + I * step)...};
    transpose(d, v);
    (hn::StoreU(v[I], d, to + I * width), ...);
  } else {
    V re[sizeof...(I)], im[sizeof...(I)];
    (Tile::pack(d, from + I * step, conjugate, re[I], im[I]), ...);
    transpose(d, re);
    transpose(d, im);
    (hn::StoreU(re[I], d, to + 2 * I * width), ...);
    (hn::StoreU(im[I], d, to + (2 * I + 1) * width), ...);
  }
}

/// Packs `held` ≥ `group` rows that lie `step` apart, `depth` elements of each, to a panel `width`
/// wide. The last group of rows overlaps the one before if they do not come out even. What lies in
/// one cache line of a row is read at once.
template <class Tile, class Count>
HWY_INLINE void pack_rows(const typename Tile::element* HWY_RESTRICT from, std::size_t step,
                          bool conjugate, Count held, std::size_t width, std::size_t depth,
                          typename Tile::lane* HWY_RESTRICT to) {
  constexpr std::size_t line = 64 / sizeof(typename Tile::element);
  constexpr std::size_t rows = group<Tile>;
  const std::size_t even = depth / rows * rows;
  for (std::size_t first = 0; first < even; first += line) {
    const std::size_t last = std::min(even, first + line);
    for (std::size_t i = 0; i < held; i += rows) {
      const std::size_t row = std::min<std::size_t>(i, held - rows);
      for (std::size_t p = first; p < last; p += rows)
        pack_square<Tile>(from + row * step + p, step, conjugate,
                          to + p * width * Tile::parts + row, width, indices<rows>());
    }
  }
  for (std::size_t p = even; p < depth; ++p)
    for (std::size_t i = 0; i < held; ++i)
      Tile::pack(from[i * step + p], conjugate, to + p * width * Tile::parts + i, width);
}

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
