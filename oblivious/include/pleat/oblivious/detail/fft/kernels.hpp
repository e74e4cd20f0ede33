// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

// The sequential kernels, for float and double, in whatever vector instructions the processor has
// (chosen at run time by Highway). Complex numbers in memory are pairs (re, im); `stride`s and
// sizes count complex numbers. Inside, a row is a vector of real parts and one of imaginary parts.
// No kernel allocates, throws or synchronises. `work` is aligned to 128 bytes.
namespace pleat::detail::fourier {

/// Numbers in a vector.
template <class T> PLEAT_API std::size_t lanes();

/// Changes to numbers that enter or leave.
template <class T> struct ends {
  bool inverse = false;  ///< parts change places, at both ends: that inverts the transform
  T scale = 1;           ///< of the results
  bool stream = false;   ///< write past the caches
};

/// Block of columns of a matrix, side by side; a kernel works on up to `lanes` of them.
template <class T> struct column_block {
  T* data;             ///< its first number
  std::size_t stride;  ///< from row to row
  std::size_t count;   ///< columns

  /// Columns from the i-th on, `most` of them at most.
  [[nodiscard]] column_block part(std::size_t i, std::size_t most) const noexcept {
    return {data + 2 * i, stride, std::min(most, count - i)};
  }
};

/// Numbers (not pairs) of work for so many rows, those of a plan (work_rows) or more.
template <class T> constexpr std::size_t work_numbers(std::size_t rows, std::size_t lane_count) {
  return 2 * (rows + 2) * lane_count;
}

/// First pass: transforms columns [c, c + count) of the matrix, multiplies them by the roots, and
/// leaves tiles of lanes × lanes numbers, transposed: tile g holds the results g·lanes … of each
/// column, at tiles + g · tile_step (numbers).
template <class T>
PLEAT_API void first_pass(const transform_plan<T>& plan, const column_block<const T>& from,
                          std::size_t c, const ends<T>& how, T* work, T* tiles,
                          std::size_t tile_step);

/// Second pass: transforms `to.count` rows that stand in tiles side by side (tiles[i]: columns
/// i·lanes …) and writes them as columns.
template <class T>
PLEAT_API void second_pass(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how,
                           T* work, const column_block<T>& to);

/// Transforms plan.size contiguous numbers (method::direct); `from` may be `to`.
template <class T>
PLEAT_API void transform_direct(const transform_plan<T>& plan, const T* from, const ends<T>& how,
                                T* work, T* to);

/// Transforms up to `lanes` columns of plan.size rows; `from` may be `to`.
template <class T>
PLEAT_API void transform_columns(const column_plan<T>& plan, const column_block<const T>& from,
                                 const ends<T>& how, T* work, const column_block<T>& to);

/// Transforms of so many numbers are code of their own, in registers.
inline constexpr std::size_t largest_codelet = 16;

/// Transforms `count` sequences of plan.size numbers, one behind the other, a sequence in each
/// lane; `from` may be `to`. `work`: of work_numbers for the plan's rows, or `lanes` if that is
/// more. The results are those of each sequence alone, whatever else is transformed beside it.
template <class T>
PLEAT_API void transform_side_by_side(const column_plan<T>& plan, const T* from, std::size_t count,
                                      const ends<T>& how, T* work, T* to);

/// Transforms real numbers side by side: 2·plan.size of each sequence, and `pairs` is theirs, or
/// plan.size, and `pairs` is null. Of n/2 + 1 results each. `work`: for 2·plan.size + 2 rows or the
/// plan's. The ranges do not overlap.
template <class T>
PLEAT_API void transform_reals_side_by_side(const column_plan<T>& plan, const real_plan<T>* pairs,
                                            const T* from, std::size_t count, const ends<T>& how,
                                            T* work, T* to);

/// The kernel of this processor for one sequence of n numbers, complex or real, that calls neither
/// a plan nor memory; null if n is above largest_codelet. Requires n ≥ 1.
template <class T> using single_transform = void (*)(const T* from, const ends<T>& how, T* to);
template <class T> PLEAT_API single_transform<T> single_transform_of(std::size_t n);
template <class T> PLEAT_API single_transform<T> single_real_transform_of(std::size_t n);

/// Transforms plan.size rows of work memory, in place; result k is left in row plan.place[k].
template <class T> PLEAT_API void transform_rows(const column_plan<T>& plan, T* rows);

/// The passes of a chirp (method::chirp): those of plan.inner, there and back, on tiles as
/// first_pass leaves them. The first one multiplies columns [c, c + from.count) of the numbers by
/// the chirp (that of this group of columns), puts zeros behind them, and transforms them.
template <class T>
PLEAT_API void chirp_first_pass(const transform_plan<T>& plan, const T* chirp,
                                const column_block<const T>& from, std::size_t c, bool inverse,
                                T* work, T* tiles, std::size_t tile_step);
/// Transforms a group of rows, multiplies them by the response (that of this group), and transforms
/// them back: from the tiles side by side in which they stand to others, or to the same.
template <class T>
PLEAT_API void chirp_middle_pass(const transform_plan<T>& plan, const T* response, T* work,
                                 const T* const* from, T* const* to);
/// Transforms columns [c, c + to.count) back and multiplies the numbers by the chirp.
template <class T>
PLEAT_API void chirp_last_pass(const transform_plan<T>& plan, const T* chirp, const T* tiles,
                               std::size_t tile_step, std::size_t c, const ends<T>& how, T* work,
                               const column_block<T>& to);

/// Numbers k and m − k, at `low` and `high`; those of k + 1 are behind the one and before the
/// other.
template <class Number> struct mirrored { Number *low, *high; };
/// Pair k and m − k of an array of the numbers 0 … m.
template <class Number>
mirrored<Number> mirrored_at(Number* numbers, std::size_t k, std::size_t m) noexcept {
  return {numbers + 2 * k, numbers + 2 * (m - k)};
}
/// The transform of pairs of real numbers made that of the numbers, forward; before the inverse
/// one, back. For k in [first, last), m = plan.size / 2, last ≤ m/2 + 1: results k and m − k from
/// the numbers k and m − k; those of `first` are at `from` and `to`, which may be the same.
template <class T>
PLEAT_API void fold_pairs(const real_plan<T>& plan, std::size_t first, std::size_t last,
                          bool inverse, mirrored<const T> from, mirrored<T> to);

/// Copies rows of from.count complex numbers; with `stream`, past the caches.
template <class T>
PLEAT_API void copy_rows(const column_block<const T>& from, std::size_t rows, bool stream,
                         const column_block<T>& to);

/// Orders what was streamed before whatever this thread does next.
PLEAT_API void finish_streams();

}  // namespace pleat::detail::fourier
