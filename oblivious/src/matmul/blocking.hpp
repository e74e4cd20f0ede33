// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops around the micro-kernels, for PLEAT_TARGET: blocks, panels, edges.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "matmul/packing.hpp"
#include "matmul/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

/// Where a tile goes, and how much of it there is.
template <class T> struct tile_place {
  T* c;
  std::size_t leading, rows, columns;
  bool accumulate;
};

template <class Tile, std::size_t N>
void compute_tile(std::size_t depth, const typename Tile::lane* a, const typename Tile::lane* b,
                  const tile_place<typename Tile::element>& at) {
  using T = typename Tile::element;
  constexpr std::size_t width = N * block_sizes<Tile>::lanes;
  if (at.rows == Tile::rows && at.columns == width)
    return Tile::template compute<N>(depth, a, b, at.c, at.leading, at.accumulate);
  alignas(64) T edge[Tile::rows * width];
  Tile::template compute<N>(depth, a, b, edge, width, false);
  for (std::size_t i = 0; i < at.rows; ++i) {
    T* const row = at.c + i * at.leading;
    if (at.accumulate) {
      for (std::size_t j = 0; j < at.columns; ++j) row[j] = Tile::plus(row[j], edge[i * width + j]);
    } else {
      std::copy_n(edge + i * width, at.columns, row);
    }
  }
}

/// A block of C from packed blocks of A and B.
template <class Tile>
void multiply_panels(std::size_t depth, const typename Tile::lane* a, const typename Tile::lane* b,
                     const tile_place<typename Tile::element>& block) {
  for (std::size_t j = 0; j < block.columns;) {
    const std::size_t width = panel_width<Tile>(block.columns - j);
    const std::size_t vectors = width / block_sizes<Tile>::lanes;
    for (std::size_t i = 0; i < block.rows; i += Tile::rows) {
      const auto* const panel = a + i * depth * Tile::parts;
      const tile_place<typename Tile::element> at{
          block.c + i * block.leading + j, block.leading, std::min(Tile::rows, block.rows - i),
          std::min(width, block.columns - j), block.accumulate};
      if constexpr (Tile::vectors >= 3)
        if (vectors == 3) {
          compute_tile<Tile, 3>(depth, panel, b, at);
          continue;
        }
      if constexpr (Tile::vectors >= 2)
        if (vectors == 2) {
          compute_tile<Tile, 2>(depth, panel, b, at);
          continue;
        }
      compute_tile<Tile, 1>(depth, panel, b, at);
    }
    b += width * depth * Tile::parts;
    j += width;
  }
}

template <class Tile> inline constexpr bool has_unsigned_tile = requires {
  typename Tile::unsigned_tile;
};

/// Whether none of the packed numbers has its sign bit set; asked only of a tile that has another
/// for such numbers.
template <class T> bool are_unsigned(const T* numbers, std::size_t count) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> bits;
  auto all = hn::Zero(bits);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    all = hn::Or(all, hn::BitCast(bits, hn::LoadU(d, numbers + i)));
  bool any = !hn::AllFalse(bits, hn::Lt(all, hn::Zero(bits)));
  for (; i < count; ++i) any = any || std::signbit(numbers[i]);
  return !any;
}

template <class Tile>
void multiply_blocks(const product<typename Tile::element>& whole, std::byte* work) {
  const block_sizes<Tile> sizes(whole.rows, whole.columns, whole.inner);
  auto* const a = reinterpret_cast<typename Tile::lane*>(work);
  auto* const b = a + sizes.packed_a();
  for (std::size_t j = 0; j < whole.columns; j += sizes.columns) {
    const std::size_t columns = std::min(sizes.columns, whole.columns - j);
    for (std::size_t p = 0; p < whole.inner; p += sizes.inner) {
      const std::size_t depth = std::min(sizes.inner, whole.inner - p);
      pack_b<Tile>(whole, j, columns, p, depth, b);
      bool unsigned_b = false;
      if constexpr (has_unsigned_tile<Tile>)
        unsigned_b = are_unsigned(b, up_to_multiple(columns, sizes.lanes) * depth);
      for (std::size_t i = 0; i < whole.rows; i += sizes.rows) {
        const std::size_t rows = std::min(sizes.rows, whole.rows - i);
        pack_a<Tile>(whole, i, rows, p, depth, a);
        const tile_place<typename Tile::element> block{whole.c + i * whole.leading + j,
                                                       whole.leading, rows, columns,
                                                       whole.accumulate || p != 0};
        if constexpr (has_unsigned_tile<Tile>) {
          if (unsigned_b && are_unsigned(a, up_to_multiple(rows, Tile::rows) * depth)) {
            multiply_panels<typename Tile::unsigned_tile>(depth, a, b, block);
            continue;
          }
        }
        multiply_panels<Tile>(depth, a, b, block);
      }
    }
  }
}

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
