// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

#include <pleat/runtime/interval.hpp>

namespace pleat::detail::sorting {

constexpr std::size_t ceiling_division(std::size_t a, std::size_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}
constexpr std::size_t round_up(std::size_t a, std::size_t multiple) noexcept {
  return ceiling_division(a, multiple) * multiple;
}

/// Shape of Columnsort on an r × s matrix of which each column is one VP's block. Any number of
/// keys fits: the last blocks are shorter, or empty, and the keys missing there count as +infinity.
///
/// After phase 4 (r a multiple of s) every key is at most `displacement` places from its final
/// place if ties are broken by the place after phase 4. So places [x·s, y·s) of the result depend
/// only on rows [x, y) of all columns and `halo` rows on both sides. The rows are merged and
/// finished chunk by chunk; the finish of chunk t trails the merge by `halo` rows, and every VP
/// finishes an equal share of it.
struct block_shape {
  std::size_t keys;        ///< n
  std::size_t columns;     ///< s ≥ 1
  std::size_t rows;        ///< r, a multiple of s, r·s ≥ n
  std::size_t chunk_rows;  ///< merged at a time, a multiple of the quantum
  std::size_t quantum;     ///< what the merge produces at a time

  /// Number of keys in block c.
  [[nodiscard]] constexpr std::size_t block(std::size_t c) const noexcept {
    return std::clamp(keys, c * rows, (c + 1) * rows) - c * rows;
  }
  /// Number of keys that phase 2 sends from block c to column j: the elements j, j + s, …
  [[nodiscard]] constexpr std::size_t run(std::size_t c, std::size_t j) const noexcept {
    const std::size_t held = block(c);
    return held > j ? ceiling_division(held - j, columns) : 0;
  }
  /// Number of keys in column j after phase 2.
  [[nodiscard]] constexpr std::size_t column(std::size_t j) const noexcept {
    const std::size_t whole = keys / rows;  // blocks
    return whole * (rows / columns) + (whole < columns ? run(whole, j) : 0);
  }
  [[nodiscard]] constexpr std::size_t displacement() const noexcept {
    return (columns - 1) * (columns - 1);
  }
  [[nodiscard]] constexpr std::size_t halo() const noexcept {
    return ceiling_division(displacement(), columns);
  }
  [[nodiscard]] constexpr std::size_t chunks() const noexcept {
    return ceiling_division(rows + halo(), chunk_rows);
  }
  /// Number of rows of every column that chunk t merges.
  [[nodiscard]] constexpr std::size_t merged_rows(std::size_t t) const noexcept {
    return std::min(chunk_rows, round_up(rows + halo() - t * chunk_rows, quantum));
  }
  /// Rows that chunk t finishes.
  [[nodiscard]] constexpr interval<> finished_rows(std::size_t t) const noexcept {
    const std::size_t h = halo();
    const std::size_t first = t * chunk_rows;
    return {first < h ? 0 : first - h, std::min(rows, first + chunk_rows - h)};
  }
  /// Share of VP q of the rows that chunk t finishes.
  [[nodiscard]] constexpr interval<> share(std::size_t t, std::size_t q) const noexcept {
    return finished_rows(t).share(q, columns);
  }
  /// Number of rows that a VP keeps of each of the two current chunks: the chunk and the rows
  /// before it that the halos need.
  [[nodiscard]] constexpr std::size_t kept_rows() const noexcept { return chunk_rows + 2 * halo(); }
};

/// Makes the shape for n keys in s columns. A chunk is long, so that the halo and the
/// synchronisation cost little, but short enough that merged rows are still in a second-level cache
/// when they are finished. Requires: s ≥ 1.
constexpr block_shape make_block_shape(std::size_t n, std::size_t s, std::size_t quantum) {
  assert(s >= 1 && quantum >= 1);
  block_shape shape{n, s, std::max(s, round_up(ceiling_division(n, s), s)), 0, quantum};
  const std::size_t wanted = std::max({std::size_t{1} << 14, 4 * s * s, 512 * s});
  shape.chunk_rows = std::min(round_up(wanted, quantum),
                              round_up(std::max(shape.rows, s) + shape.halo(), quantum));
  return shape;
}

/// Matrix of the literal recursion on m keys, m ≥ 4 a power of two. r is the smallest power of two
/// with r ≥ m^(2/3) and r ≥ 2(s − 1)², s = m/r; but s ≥ 2.
/// Source: Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985, for the condition.
struct matrix_shape {
  std::size_t rows, columns;
};
constexpr matrix_shape make_matrix_shape(std::size_t m) {
  assert(m >= 4 && std::has_single_bit(m));
  const auto bits = static_cast<unsigned>(std::countr_zero(m));
  std::size_t rows = std::size_t{1} << std::min((2 * bits + 2) / 3, bits - 1);
  while (rows < 2 * (m / rows - 1) * (m / rows - 1)) rows *= 2;
  return {rows, m / rows};
}

/// Greatest number of VPs of a segment that is sorted by a network, or as a matrix of any shape.
inline constexpr std::size_t network_vps = 32;

/// Tells whether the blocks of w VPs, b keys each, may be the columns of a matrix. A matrix must
/// not have more columns than rows. In the finish a VP merges its share, b keys, and 2(w − 1)² more
/// at its sides. So with many columns there must be as many rows as the square of their number, or
/// the finish would take longer than the sort.
constexpr bool is_matrix(std::size_t w, std::size_t b) noexcept {
  return b >= w && (w <= network_vps || b / w >= w);
}

/// Distribution of n keys over the P VPs that sort them.
struct sort_plan {
  std::size_t keys;     ///< n
  std::size_t holders;  ///< VPs that hold keys: the first ones
  std::size_t block;    ///< keys each of them holds in the recursion; 0: all VPs sort one matrix

  /// Matrix that a segment of w VPs sorts with a column for each VP. It has no columns if the
  /// segment must divide first.
  [[nodiscard]] constexpr block_shape matrix(std::size_t w, std::size_t quantum) const {
    if (block == 0) return make_block_shape(keys, holders, quantum);
    if (is_matrix(w, block)) return make_block_shape(w * block, w, quantum);
    return {0, 0, 0, 0, quantum};
  }
  /// Matrix of the segments at which the recursion of all VPs ends. It has no columns if these are
  /// sorted by networks.
  [[nodiscard]] constexpr block_shape last_matrix(std::size_t quantum) const {
    std::size_t w = holders;
    if (block != 0)
      while (!is_matrix(w, block) && w > network_vps) w = make_matrix_shape(w * block).rows / block;
    return matrix(w, quantum);
  }
};

/// Tells whether VPs divide their segments until matrices or networks fit: n and the number of VPs
/// are powers of two, and blocks are shorter than there are VPs.
constexpr bool divides_vps(std::size_t n, std::size_t vps) noexcept {
  return std::has_single_bit(vps) && std::has_single_bit(n) && n >= vps && n / vps < vps;
}

/// Makes the plan of a Columnsort: the literal recursion if divides_vps, else one matrix, on as
/// many of the VPs as it may have columns: √n, and beyond 32 of them n^(1/3).
constexpr sort_plan make_sort_plan(std::size_t n, std::size_t vps) {
  assert(n >= 1 && vps >= 1);
  if (divides_vps(n, vps)) return {n, vps, n / vps};
  if (is_matrix(vps, n / vps)) return {n, vps, 0};
  std::size_t holders = 1;
  while (holders < vps && is_matrix(holders + 1, n / (holders + 1))) ++holders;
  return {n, holders, 0};
}

}  // namespace pleat::detail::sorting
