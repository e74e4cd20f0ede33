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
template <class T> std::size_t lanes();

/// What is done to numbers that enter or leave.
template <class T> struct ends {
  bool inverse = false;  ///< parts change places, at both ends: that inverts the transform
  T scale = 1;           ///< of the results
  bool stream = false;   ///< write past the caches
};

/// Some columns of a matrix, side by side; a kernel works on up to `lanes` of them.
template <class T> struct column_block {
  T* data;             ///< its first number
  std::size_t stride;  ///< from row to row
  std::size_t count;   ///< columns

  /// Those from the i-th on, `most` of them at most.
  [[nodiscard]] column_block part(std::size_t i, std::size_t most) const noexcept {
    return {data + 2 * i, stride, std::min(most, count - i)};
  }
};

/// Numbers (not pairs) of work for columns of m points, or for a direct transform of m points.
template <class T> constexpr std::size_t work_numbers(std::size_t m, std::size_t lane_count) {
  return 2 * (m + 2) * lane_count;
}

/// First pass: transforms columns [c, c + count) of the matrix, multiplies them by the roots, and
/// leaves tiles of lanes × lanes numbers, transposed: tile g holds the results g·lanes … of each
/// column, at tiles + g · tile_step (numbers).
template <class T>
void first_pass(const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c,
                const ends<T>& how, T* work, T* tiles, std::size_t tile_step);

/// Second pass: transforms `to.count` rows that stand in tiles side by side (tiles[i]: columns
/// i·lanes …) and writes them as columns.
template <class T>
void second_pass(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how, T* work,
                 const column_block<T>& to);

/// Transforms plan.size contiguous numbers (method::direct); `from` may be `to`.
template <class T>
void transform_direct(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* work,
                      T* to);

/// Transforms up to `lanes` columns of plan.size rows; `from` may be `to`.
template <class T>
void transform_columns(const column_plan<T>& plan, const column_block<const T>& from,
                       const ends<T>& how, T* work, const column_block<T>& to);

/// Transforms plan.size rows of work memory, in place; result k is left in row plan.place[k].
template <class T> void transform_rows(const column_plan<T>& plan, T* rows);

/// The passes of a chirp (method::chirp): those of plan.inner, there and back, on tiles as
/// first_pass leaves them. The first one multiplies columns [c, c + lanes) of the numbers by the
/// chirp, puts zeros behind them, and transforms them.
template <class T>
void chirp_first_pass(const transform_plan<T>& plan, const T* from, std::size_t c, bool inverse,
                      T* work, T* tiles, std::size_t tile_step);
/// Transforms rows [k, k + lanes), multiplies them by the response, and transforms them back, in
/// the tiles side by side in which they stand.
template <class T>
void chirp_middle_pass(const transform_plan<T>& plan, std::size_t k, T* work, T* const* tiles);
/// Transforms columns [c, c + lanes) back and multiplies the numbers by the chirp.
template <class T>
void chirp_last_pass(const transform_plan<T>& plan, const T* tiles, std::size_t tile_step,
                     std::size_t c, const ends<T>& how, T* work, T* to);

/// The transform of pairs of real numbers made that of the numbers, forward; before the inverse
/// one, back. For k in [first, last), m = plan.size / 2, last ≤ m/2 + 1: results k and m − k from
/// the numbers k and m − k, at `from` and `to`, which may be the same.
template <class T>
void fold_pairs(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse,
                const T* from, T* to);

/// Copies rows of from.count complex numbers; with `stream`, past the caches.
template <class T>
void copy_rows(const column_block<const T>& from, std::size_t rows, bool stream,
               const column_block<T>& to);

/// Orders what was streamed before whatever this thread does next.
void finish_streams();

}  // namespace pleat::detail::fourier
