// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <pleat/runtime/detail/watch.hpp>

#include "matmul/tile.hpp"

// Sizes of blocks, and their packing, for PLEAT_TARGET.

// Rows of a matrix become columns of a panel, in registers, for PLEAT_TARGET.

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
/// first-level cache. If A is one block high, no panel of B is needed twice: there is memory for
/// one, and it is still in a cache when it has been packed.
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

  bool one_block_high;
  std::size_t rows, columns, inner;

  block_sizes(std::size_t m, std::size_t n, std::size_t k)
      : one_block_high(m <= most_rows),
        rows(even_blocks(m, most_rows, Tile::rows)),
        columns(even_blocks(n, one_block_high ? n : most_columns, width)),
        inner(even_blocks(k, most_inner, 1)) {}

  /// Size of the packed block of A, in lanes; the block of B begins on a cache line.
  [[nodiscard]] std::size_t packed_a() const {
    return up_to_multiple(rows * inner * Tile::parts, 64);
  }
  /// Bytes for the packed blocks of any product no larger than this. One that is smaller may have
  /// larger blocks, since blocks of one product are made equal.
  [[nodiscard]] static std::size_t most_bytes(std::size_t m, std::size_t n, std::size_t k) {
    const std::size_t depth = std::min(k, most_inner) * Tile::parts;
    const std::size_t a = std::min(up_to_multiple(m, Tile::rows), most_rows) * depth;
    const std::size_t b = m <= most_rows ? width : std::min(up_to_multiple(n, width), most_columns);
    return (up_to_multiple(a, 64) + b * depth) * sizeof(lane);
  }
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
  if constexpr (sizeof(typename Tile::lane) >= 4)
    if (depth_step == 1 && held >= group<Tile>)
      return pack_rows<Tile>(from, step, conjugate, held, width, depth, to);
  constexpr std::size_t together = 8;  // what lies in one line is read at once
  for (std::size_t first = 0; first < depth; first += together) {
    const std::size_t last = std::min(depth, first + together);
    for (std::size_t i = 0; i < held; ++i)
      for (std::size_t p = first; p < last; ++p)
        Tile::pack(from[i * step + p * depth_step], conjugate, to + p * width * parts + i, width);
  }
}

/// Packs panels that are `Whole` wide but at the edges, where what is not there is 0: how many
/// iterations a loop has lets compilers make vectors of them.
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

/// Width of the panel of B that begins `columns` before the end: whole vectors, and the last panels
/// alike, for a tile of few sums waits for its operations.
template <class Tile> constexpr std::size_t panel_width(std::size_t columns) {
  constexpr std::size_t lanes = block_sizes<Tile>::lanes;
  const std::size_t vectors = (columns + lanes - 1) / lanes;
  const std::size_t panels = (vectors + Tile::vectors - 1) / Tile::vectors;
  return (vectors + panels - 1) / panels * lanes;
}

/// Packs the panel of B that begins in column `first_column`, `held` of its `width` columns there.
template <class Tile>
HWY_INLINE void pack_b(const product<typename Tile::element>& whole, std::size_t first_column,
                       std::size_t held, std::size_t width, std::size_t first, std::size_t depth,
                       typename Tile::lane* to) {
  const auto& b = whole.b;
  const auto pack = [&](auto whole_width) {
    pack_panel<Tile, decltype(whole_width)::value>(b.at(first, first_column), b.column_step,
                                                   b.row_step, b.conjugate, held, width, depth, to);
  };
  constexpr std::size_t lanes = block_sizes<Tile>::lanes;
  if constexpr (Tile::vectors >= 3)
    if (width == 2 * lanes) return pack(std::integral_constant<std::size_t, 2 * lanes>());
  if constexpr (Tile::vectors >= 2)
    if (width == lanes) return pack(std::integral_constant<std::size_t, lanes>());
  pack(std::integral_constant<std::size_t, block_sizes<Tile>::width>());
}

// The loops around the micro-kernels, for PLEAT_TARGET: blocks, panels, edges.

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
