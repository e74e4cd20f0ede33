// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>

// Tiling: cuts the matrix of a plan into strips of VPs, and its intermediate results into tiles.
namespace pleat::detail::fourier {

/// Numbers are kept in multiples of this many bytes: no two VPs write one pair of lines.
inline constexpr std::size_t line_bytes = 128;
template <class T> constexpr std::size_t whole_lines(std::size_t numbers) noexcept {
  constexpr std::size_t line = line_bytes / sizeof(T);
  return (numbers + line - 1) / line * line;
}

/// Tells whether that many complex numbers, made of as many others, are written past the caches.
template <class T> bool is_streamed(std::size_t points) noexcept {
  return passes_caches(4 * points * sizeof(T));
}

/// Columns [first, last) of a matrix of `columns` columns: what a VP has of its numbers.
struct strip {
  std::size_t columns, first, last;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return last - first; }
  /// Index in the matrix of the i-th number of the strip, row by row.
  [[nodiscard]] constexpr std::size_t number(std::size_t i) const noexcept {
    return i / size() * columns + first + i % size();
  }
};
/// Columns of a strip in the memory of the whole matrix, and in memory of its own.
template <class T> column_block<T> strip_of_matrix(T* matrix, const strip& s) noexcept {
  return {matrix + 2 * s.first, s.columns, s.size()};
}
template <class T> column_block<T> strip_alone(T* memory, const strip& s) noexcept {
  return {memory, s.size(), s.size()};
}

/// The matrix of a plan, n1 rows of n2 points each, for w VPs. Point i·n2 + j is in row i, column
/// j; result k + n1·l comes from number k of the columns' transforms, number l of the rows'.
///
/// Columns, and rows, are shared by groups of as many as a vector has lanes. The first pass leaves
/// tiles in the VPs' slabs, by groups of rows, so that what one VP needs of another's slab is
/// contiguous; all slabs together are the matrix.
template <class T> struct tiling {
  const transform_plan<T>& plan;
  std::size_t vps;
  bool over_ranks = false;  ///< chunks that are copied on their way are cut, see rows_at_once

  [[nodiscard]] std::size_t column_groups() const noexcept {
    return (plan.width() + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t row_groups() const noexcept {
    return (plan.rows + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t tile() const noexcept { return 2 * plan.lanes * plan.lanes; }
  /// Numbers in all slabs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return fourier::whole_lines<T>(column_groups() * row_groups() * tile());
  }
  [[nodiscard]] interval<> columns_of(std::size_t q) const noexcept {
    return interval<>{0, column_groups()}.share(q, vps);
  }
  [[nodiscard]] interval<> rows_of(std::size_t q) const noexcept {
    return interval<>{0, row_groups()}.share(q, vps);
  }
  /// The points that VP q takes, and the results that it leaves.
  [[nodiscard]] strip taken_by(std::size_t q) const noexcept {
    return strip_of(columns_of(q), plan.width());
  }
  [[nodiscard]] strip left_by(std::size_t q) const noexcept {
    return strip_of(rows_of(q), plan.rows);
  }
  /// Begin of the slab of VP q in the memory of all slabs.
  [[nodiscard]] std::size_t slab(std::size_t q) const noexcept {
    return columns_of(q).first * row_groups() * tile();
  }
  [[nodiscard]] std::size_t slab_numbers(std::size_t q) const noexcept {
    return columns_of(q).size() * row_groups() * tile();
  }
  /// Begin of the chunk that VP r reads in the slab of VP q.
  [[nodiscard]] std::size_t chunk(std::size_t q, std::size_t r) const noexcept {
    return rows_of(r).first * columns_of(q).size() * tile();
  }
  /// Groups of rows whose tiles a VP lends another one as a piece: the same for all lenders.
  [[nodiscard]] std::size_t rows_at_once() const noexcept {
    if (!over_ranks) return row_groups();
    return distribution::lent_at_once((column_groups() + vps - 1) / vps * tile() * sizeof(T));
  }
  /// The most pieces of a chunk.
  [[nodiscard]] std::size_t pieces() const noexcept {
    const std::size_t each = (row_groups() + vps - 1) / vps, most = rows_at_once();
    return (each + most - 1) / most;
  }

 private:
  [[nodiscard]] strip strip_of(const interval<>& groups, std::size_t columns) const noexcept {
    return {columns, std::min(groups.first * plan.lanes, columns),
            std::min(groups.last * plan.lanes, columns)};
  }
};

}  // namespace pleat::detail::fourier
