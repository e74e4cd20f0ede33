// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops around the micro-kernels, for PLEAT_TARGET: blocks, panels, edges.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <pleat/runtime/detail/watch.hpp>

#include "matmul/packing.hpp"
#include "matmul/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

/// Destination of a tile, and how much of it there is.
template <class T> struct tile_place {
  T* c;
  std::size_t leading, rows, columns;
  bool accumulate;
};

template <class Tile, std::size_t N, class Column>
void compute_tile(std::size_t depth, const Column& a, const typename Tile::lane* b,
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

/// A block of A and a panel of B, packed, and the part of C they are multiplied for.
template <class Tile> struct packed_part {
  const typename Tile::lane* a;  // nullptr: read where it lies
  const typename Tile::lane* b;
  std::size_t row, rows, column, columns;  // of C
  std::size_t width;                       // of the panel, in whole vectors
  std::size_t first, depth;                // of the inner dimension
  bool is_unsigned;                        // see are_unsigned; only for tiles that ask
};

template <class Tile> inline constexpr bool has_unsigned_tile = requires {
  typename Tile::unsigned_tile;
};

/// Tells whether none of the packed numbers has its sign bit set; asked only of a tile that has
/// another for such numbers.
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

/// Tells whether tiles read A where it lies. Packing copies it, to be read once for every panel of
/// B; if there are two at most, it pays to read in place: elements of a row that follow each other,
/// and nothing to do to them.
template <class Tile> bool reads_in_place(const product<typename Tile::element>& whole) {
  if constexpr (!Tile::may_be_in_place) return false;
  return whole.columns <= 2 * block_sizes<Tile>::width && whole.a.column_step == 1 &&
         !whole.a.conjugate && whole.alpha == scalar<typename Tile::element>(1);
}

/// Packs the factors block by block and calls multiply(part) for every block of A and panel of B.
/// A panel of B is packed when the first block of A needs it, and is in a near cache then.
template <class Tile, class Multiply>
void for_each_part(const product<typename Tile::element>& whole, std::byte* work,
                   const Multiply& multiply) {
  if (whole.inner == 0) return;  // and there is no memory for blocks
  const block_sizes<Tile> sizes(whole.rows, whole.columns, whole.inner);
  auto* const a = reinterpret_cast<typename Tile::lane*>(work);
  auto* const packed_b = a + sizes.packed_a();
  const bool in_place = reads_in_place<Tile>(whole);
  for (std::size_t j = 0; j < whole.columns; j += sizes.columns) {
    const std::size_t columns = std::min(sizes.columns, whole.columns - j);
    for (std::size_t p = 0; p < whole.inner; p += sizes.inner) {
      const std::size_t depth = std::min(sizes.inner, whole.inner - p);
      bool unsigned_b = true;  // all panels so far
      for (std::size_t i = 0; i < whole.rows; i += sizes.rows) {
        if (given_up()) return;
        const std::size_t rows = std::min(sizes.rows, whole.rows - i);
        if (!in_place) pack_a<Tile>(whole, i, rows, p, depth, a);
        bool unsigned_a = false;
        if constexpr (has_unsigned_tile<Tile>)
          unsigned_a = are_unsigned(a, up_to_multiple(rows, Tile::rows) * depth);
        auto* b = packed_b;
        for (std::size_t q = 0; q < columns;) {
          const std::size_t width = panel_width<Tile>(columns - q);
          const std::size_t held = std::min(width, columns - q);
          if (i == 0) {
            pack_b<Tile>(whole, j + q, held, width, p, depth, b);
            if constexpr (has_unsigned_tile<Tile>)
              unsigned_b = unsigned_b && are_unsigned(b, width * depth);
          }
          multiply(packed_part<Tile>{in_place ? nullptr : a, b, i, rows, j + q, held, width, p,
                                     depth, unsigned_a && unsigned_b});
          if (!sizes.one_block_high) b += width * depth * Tile::parts;
          q += width;
        }
      }
    }
  }
}

/// Rows of A, as many as a tile has, from `row` on, where they lie. Where A ends before, its last
/// row takes the place of those that are not there.
template <class Tile>
HWY_INLINE auto rows_in_place(const product<typename Tile::element>& whole, std::size_t row,
                              std::size_t first) {
  column_in_place<typename Tile::lane, Tile::rows, Tile::parts> result;
  for (std::size_t r = 0; r < Tile::rows; ++r)
    result.rows[r] = reinterpret_cast<const typename Tile::lane*>(
        whole.a.at(std::min(row + r, whole.rows - 1), first));
  return result;
}

/// A part of C, `Vectors` vectors wide.
template <class Tile, std::size_t Vectors, class Part>
void multiply_part(const product<typename Tile::element>& whole, const Part& part) {
  using column = packed_column<typename Tile::lane, Tile::rows * Tile::parts>;
  for (std::size_t i = 0; i < part.rows; i += Tile::rows) {
    const std::size_t row = part.row + i;
    const tile_place<typename Tile::element> at{whole.c + row * whole.leading + part.column,
                                                whole.leading, std::min(Tile::rows, part.rows - i),
                                                part.columns, whole.accumulate || part.first != 0};
    if constexpr (Tile::may_be_in_place) {
      if (part.a == nullptr) {
        compute_tile<Tile, Vectors>(part.depth, rows_in_place<Tile>(whole, row, part.first), part.b,
                                    at);
        continue;
      }
    }
    compute_tile<Tile, Vectors>(part.depth, column{part.a + i * part.depth * Tile::parts}, part.b,
                                at);
  }
}
template <class Tile, class Part>
void multiply_part(const product<typename Tile::element>& whole, const Part& part) {
  const std::size_t vectors = part.width / block_sizes<Tile>::lanes;
  if constexpr (Tile::vectors >= 3)
    if (vectors == 3) return multiply_part<Tile, 3>(whole, part);
  if constexpr (Tile::vectors >= 2)
    if (vectors == 2) return multiply_part<Tile, 2>(whole, part);
  multiply_part<Tile, 1>(whole, part);
}

template <class Tile>
void multiply_blocks(const product<typename Tile::element>& whole, std::byte* work) {
  for_each_part<Tile>(whole, work, [&whole](const packed_part<Tile>& part) {
    if constexpr (has_unsigned_tile<Tile>)
      if (part.is_unsigned) return multiply_part<typename Tile::unsigned_tile>(whole, part);
    multiply_part<Tile>(whole, part);
  });
}

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
