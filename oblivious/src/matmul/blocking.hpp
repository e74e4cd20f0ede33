// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops around the micro-kernels, for PLEAT_TARGET: blocks, panels, edges.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "matmul/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {

constexpr std::size_t up_to_multiple(std::size_t n, std::size_t of) {
  return (n + of - 1) / of * of;
}
/// The size of equal blocks, none larger than `most`, in multiples of `of`; at least one.
constexpr std::size_t even_blocks(std::size_t n, std::size_t most, std::size_t of) {
  const std::size_t blocks = std::max<std::size_t>(1, (n + most - 1) / most);
  return std::max(of, up_to_multiple((n + blocks - 1) / blocks, of));
}

/// Sizes of the blocks: a block of A and a panel of B stay in the second-level cache, from where
/// the tiles read them in order; the block of B stays in the third. Panels are deep, some 74 KiB of
/// B: every tile of C is read and written once for each, and that is what memory bounds. Where
/// registers are few, tiles are small and read more of B for what they compute: it stays in the
/// first-level cache.
template <class Tile> struct block_sizes {
  using lane = typename Tile::lane;
  static constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<lane>());
  static constexpr std::size_t width = Tile::vectors * lanes;  // of a panel of B
  static constexpr std::size_t row_bytes = Tile::parts * sizeof(lane);
  static constexpr std::size_t panel_bytes = std::size_t{many_registers ? 74 : 16} << 10;
  static constexpr std::size_t most_inner =
      std::min<std::size_t>(512, panel_bytes / (width * row_bytes) / 8 * 8);
  static constexpr std::size_t most_rows = std::max(
      Tile::rows, (std::size_t{400} << 10) / (most_inner * row_bytes) / Tile::rows * Tile::rows);
  static constexpr std::size_t most_columns =
      (std::size_t{6} << 20) / (most_inner * row_bytes) / width * width;

  std::size_t rows, columns, inner;

  block_sizes(std::size_t m, std::size_t n, std::size_t k)
      : rows(even_blocks(m, most_rows, Tile::rows)),
        columns(even_blocks(n, most_columns, width)),
        inner(even_blocks(k, most_inner, 1)) {}

  /// Of the packed blocks, in lanes; that of B begins on a cache line.
  [[nodiscard]] std::size_t packed_a() const {
    return up_to_multiple(rows * inner * Tile::parts, 64);
  }
  [[nodiscard]] std::size_t packed_b() const { return columns * inner * Tile::parts; }
  [[nodiscard]] std::size_t bytes() const { return (packed_a() + packed_b()) * sizeof(lane); }
};

/// Packs `depth` columns of `width` elements, of which `held` are there: element (i, p) of the
/// source is from[i * step + p * depth_step].
template <class Tile, class Count>
HWY_INLINE void pack_columns(const typename Tile::element* HWY_RESTRICT from, std::size_t step,
                             std::size_t depth_step, bool conjugate, Count held, std::size_t width,
                             std::size_t depth, typename Tile::lane* HWY_RESTRICT to) {
  constexpr std::size_t parts = Tile::parts;
  if (step == 1) {
    for (std::size_t p = 0; p < depth; ++p)
      for (std::size_t i = 0; i < held; ++i)
        Tile::pack(from[p * depth_step + i], conjugate, to + p * width * parts + i, width);
    return;
  }
  constexpr std::size_t together = 8;  // what lies in one line is read at once
  for (std::size_t first = 0; first < depth; first += together) {
    const std::size_t last = std::min(depth, first + together);
    for (std::size_t i = 0; i < held; ++i)
      for (std::size_t p = first; p < last; ++p)
        Tile::pack(from[i * step + p * depth_step], conjugate, to + p * width * parts + i, width);
  }
}

/// The same of panels that are `Whole` wide but at the edges, where what is not there is 0: how
/// many iterations a loop has lets compilers make vectors of them.
template <class Tile, std::size_t Whole>
HWY_INLINE void pack_panel(const typename Tile::element* from, std::size_t step,
                           std::size_t depth_step, bool conjugate, std::size_t held,
                           std::size_t width, std::size_t depth, typename Tile::lane* to) {
  if (held == Whole) {
    constexpr std::integral_constant<std::size_t, Whole> whole;
    return pack_columns<Tile>(from, step, depth_step, conjugate, whole, whole, depth, to);
  }
  if (held < width) std::fill_n(to, width * depth * Tile::parts, typename Tile::lane{});
  pack_columns<Tile>(from, step, depth_step, conjugate, held, width, depth, to);
}

template <class Tile>
HWY_INLINE void pack_a(const product<typename Tile::element>& whole, std::size_t first_row,
                       std::size_t rows, std::size_t first, std::size_t depth,
                       typename Tile::lane* to) {
  for (std::size_t i = 0; i < rows; i += Tile::rows) {
    const auto& a = whole.a;
    pack_panel<Tile, Tile::rows>(a.at(first_row + i, first), a.row_step, a.column_step, a.conjugate,
                                 std::min(Tile::rows, rows - i), Tile::rows, depth, to);
    if (whole.alpha != typename Tile::element(1)) {
      for (std::size_t p = 0; p < depth; ++p)
        for (std::size_t r = 0; r < Tile::rows; ++r)
          Tile::scale(to + p * Tile::rows * Tile::parts + r, whole.alpha, Tile::rows);
    }
    to += Tile::rows * depth * Tile::parts;
  }
}

/// How wide the panel of B is that begins `columns` before the end: whole vectors.
template <class Tile> constexpr std::size_t panel_width(std::size_t columns) {
  using sizes = block_sizes<Tile>;
  return std::min(sizes::width, up_to_multiple(columns, sizes::lanes));
}

template <class Tile>
HWY_INLINE void pack_b(const product<typename Tile::element>& whole, std::size_t first_column,
                       std::size_t columns, std::size_t first, std::size_t depth,
                       typename Tile::lane* to) {
  for (std::size_t j = 0; j < columns;) {
    const std::size_t width = panel_width<Tile>(columns - j);
    const auto& b = whole.b;
    pack_panel<Tile, block_sizes<Tile>::width>(b.at(first, first_column + j), b.column_step,
                                               b.row_step, b.conjugate,
                                               std::min(width, columns - j), width, depth, to);
    to += width * depth * Tile::parts;
    j += width;
  }
}

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
