// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// Plans: factors and roots of unity for a transform of n points. Plans are immutable and kept for
// the next transform of the same size; nothing is measured to make one.
namespace pleat::detail::fourier {

/// The greatest prime that has a butterfly. It costs as much a point as the prime is large: where
/// it is the only factor, this one as much as a convolution.
inline constexpr unsigned largest_prime = 61;

/// The factors of the stages of n points, in their order: odd primes up to largest_prime, 8, 4, 2,
/// and then the greater primes. Requires n ≥ 1; greater primes below 2^32.
PLEAT_API std::vector<unsigned> radices_of(std::size_t n);
/// Tells whether n has no prime factor above largest_prime. Requires n ≥ 1.
PLEAT_API bool is_smooth(std::size_t n) noexcept;
/// The greatest prime factor of n; 1 for n = 1. Requires n ≥ 1. O(√n).
PLEAT_API std::size_t greatest_prime_of(std::size_t n);
/// The greatest divisor of n that is at most √n. Requires n ≥ 1.
PLEAT_API std::size_t middle_divisor(std::size_t n) noexcept;
/// Sizes for a convolution of n numbers: the least power of two, and for some odd numbers without
/// prime factors above 7 the least product with one, that are at least n. Requires n ≥ 1.
PLEAT_API std::vector<std::size_t> convolution_sizes(std::size_t n);
/// Size among convolution_sizes(n) whose matrix takes the fewest tiles of `lanes` × `lanes`
/// numbers; it is less than 2n.
PLEAT_API std::size_t convolution_size(std::size_t n, std::size_t lanes);

/// e^(−2πi·k/n), each part rounded once. Requires n ≥ 1.
struct root {
  double re, im;
};
PLEAT_API root root_of_unity(std::size_t k, std::size_t n) noexcept;

/// Index, in a row of `lanes` numbers, of the one that stands in a lane of its vectors: 0, lanes/2,
/// 1, ….
constexpr std::size_t number_in_lane(std::size_t lane, std::size_t lanes) noexcept {
  return lane / 2 + lane % 2 * (lanes / 2);
}

template <class T> struct prime_convolution;

/// A transform of m rows of vectors, in place, decimation in frequency: stage after stage, the
/// blocks of a stage one by one, so that they stay in cache.
template <class T> struct PLEAT_API column_plan {
  struct stage {
    unsigned radix;
    std::size_t points;    ///< of the blocks this stage divides
    std::size_t twiddles;  ///< where its factors begin: radix − 1 pairs for each of points/radix
    /// Begin of the roots of order radix, if the compiler has none; or, of a radix above
    /// largest_prime, the index of its convolution.
    std::size_t circle;
  };
  std::size_t size = 0;
  std::vector<stage> stages;
  std::vector<T> twiddles;             ///< re, im, re, im, …
  std::vector<T> circles;              ///< of radices above 8: cosine, sine, cosine, …
  std::vector<std::uint32_t> place;    ///< where the result k stands after the last stage
  std::vector<std::uint32_t> last_at;  ///< k of the first result of each block of the last stage
  std::vector<prime_convolution<T>> convolutions;  ///< of radices above largest_prime

  /// Rows of memory that the stages need: their own ones, and behind these what convolutions take.
  [[nodiscard]] std::size_t work_rows() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
};

/// The transform of p points, p a prime, as a cyclic convolution of p − 1 (Rader 1968): with g a
/// generator of the numbers modulo p, the result g^b is point 0 plus the sum over a of point g^−a
/// times w^(g^(b − a)). Of inner.size numbers: p − 1, or with zeros between at least 2(p − 1) − 1.
template <class T> struct prime_convolution {
  unsigned prime;
  column_plan<T> inner;
  std::vector<std::uint32_t> points;   ///< g^−a modulo p, a = 0 … p − 2
  std::vector<std::uint32_t> results;  ///< g^b modulo p
  std::vector<T> response;             ///< pairs: the transform of w^(g^c), divided by inner.size
  /// Rows of each of the two blocks of memory that it takes.
  [[nodiscard]] std::size_t block_rows() const noexcept {
    return inner.size < prime ? prime : inner.size;
  }
};

/// Roots of unity of order n, by a product of two tables of about √n entries.
class PLEAT_API root_table {
 public:
  root_table() = default;
  explicit root_table(std::size_t n);
  /// e^(−2πi·k/n), k < n.
  [[nodiscard]] root operator()(std::size_t k) const noexcept {
    const root a = coarse_[k >> shift_];
    const root b = fine_[k & mask_];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  [[nodiscard]] std::size_t order() const noexcept { return order_; }

 private:
  std::size_t order_ = 1;
  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<root> coarse_{{1, 0}};
  std::vector<root> fine_{{1, 0}};
};

enum class method {
  direct,  ///< a column in each of some lanes, then the lanes: in cache
  matrix,  ///< columns, then rows of a matrix of about √n × √n
  chirp,   ///< a convolution of smooth size: n with a large prime factor
};

/// Plan for n points of type T on vectors of `lanes` numbers.
template <class T> struct PLEAT_API transform_plan {
  std::size_t size = 1;
  std::size_t lanes = 1;
  fourier::method method = fourier::method::matrix;

  column_plan<T> columns;    ///< of `rows` points: the first pass
  column_plan<T> across;     ///< of `size / rows` points: the second pass (matrix)
  std::size_t rows = 1;      ///< n1
  column_plan<T> each_lane;  ///< of `size` points: many transforms, one in each lane; or empty
  root_table roots;          ///< between the passes (matrix)
  /// w^(k·l) for the lanes l, as vectors: re of all lanes, im. First k = 0 … lanes − 1, then the
  /// first row of each tile, k = 0, lanes, 2·lanes … (matrix).
  std::vector<T> lane_powers;
  std::vector<T> twist;  ///< roots as vectors, row by row: re of all lanes, im (direct)

  std::shared_ptr<const transform_plan> inner;  ///< a matrix: of the convolution (chirp)
  /// Factors as vectors, re of all lanes, im, in the order in which the passes read them:
  /// e^(−πi·j²/n) for column groups of the inner matrix, row by row; the transform of its
  /// conjugate, wrapped around and scaled, for row groups, column by column (chirp).
  std::vector<T> chirp, response;

  [[nodiscard]] std::size_t width() const noexcept { return size / rows; }  ///< n2
  /// Rows of the inner matrix that hold numbers (chirp).
  [[nodiscard]] std::size_t chirped_rows() const noexcept {
    return (size + inner->width() - 1) / inner->width();
  }
  [[nodiscard]] bool side_by_side() const noexcept { return each_lane.size != 0; }
  [[nodiscard]] std::size_t bytes() const noexcept;
};

/// Transforms of n real numbers, n even, are transforms of n/2 complex ones: what it takes to tell
/// them apart.
template <class T> struct real_plan {
  std::size_t size = 2;
  std::size_t lanes = 1;
  std::shared_ptr<const transform_plan<T>> half;
  /// e^(−2πi·k/n), k ≤ n/4, is coarse[k / block] · (fine_re + i·fine_im)[k % block].
  std::size_t block = 1;
  std::vector<root> coarse;
  std::vector<T> fine_re, fine_im;
  [[nodiscard]] fourier::root root_of(std::size_t k) const noexcept {
    const fourier::root a = coarse[k / block];
    const fourier::root b{fine_re[k % block], fine_im[k % block]};
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return coarse.size() * sizeof(root) + 2 * fine_re.size() * sizeof(T);
  }
};

/// Plan for columns of a matrix, `size` numbers each.
template <class T> struct plane_plan {
  std::size_t size = 1;
  std::size_t lanes = 1;
  column_plan<T> columns;                        ///< if convolutions in it fit the cache
  std::shared_ptr<const transform_plan<T>> one;  ///< otherwise: of one column
  [[nodiscard]] std::size_t bytes() const noexcept { return columns.bytes(); }
};

/// The plan for n points and this processor's vectors; made at the first call, then kept among the
/// latest (at most `plans_kept` of them and 256 MiB). Requires n ≥ 1. Thread-safe.
/// Cost, first call: O(√n) roots (O(n) up to 2^13 points; O(n log n) for the chirp; O(p log p) for
/// each prime factor p above largest_prime).
template <class T> PLEAT_API std::shared_ptr<const transform_plan<T>> plan_for(std::size_t n);
/// Likewise; requires n even, n ≥ 2.
template <class T> PLEAT_API std::shared_ptr<const real_plan<T>> real_plan_for(std::size_t n);
template <class T> PLEAT_API std::shared_ptr<const plane_plan<T>> plane_plan_for(std::size_t n);
inline constexpr std::size_t plans_kept = 64;

/// The plan for VPs of several ranks, a matrix or a chirp whose tables (chirp, response) each VP
/// makes for itself, so that no rank has all of them. Requires n ≥ 1.
template <class T>
PLEAT_API std::shared_ptr<const transform_plan<T>> plan_over_ranks(std::size_t n);
/// A real plan that has no `half`; it is not kept. Requires n even, n ≥ 2.
template <class T> PLEAT_API std::shared_ptr<real_plan<T>> make_real_roots(std::size_t n);

/// The plan of a matrix, whatever n, for vectors of `lanes` numbers; it is not kept. Requires n ≥
/// 1, prime factors below 2^32.
template <class T>
PLEAT_API std::shared_ptr<transform_plan<T>> make_matrix_plan(std::size_t n, std::size_t lanes);

// The sequential kernels, for float and double, in whatever vector instructions the processor has
// (chosen at run time by Highway). Complex numbers in memory are pairs (re, im); `stride`s and
// sizes count complex numbers. Inside, a row is a vector of real parts and one of imaginary parts.
// No kernel allocates, throws or synchronises. `work` is aligned to 128 bytes.

/// Numbers in a vector.
template <class T> PLEAT_API std::size_t lanes();

/// Direction of a transform, and what is done to its results.
template <class T> struct mode {
  bool inverse = false;   ///< imaginary parts change sign at both ends, which inverts it
  T scale = 1;            ///< of the results
  bool stream = false;    ///< write past the caches
  std::size_t ahead = 0;  ///< fetch numbers of later transforms, as far behind; 0: none (direct)
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
                          std::size_t c, const mode<T>& how, T* work, T* tiles,
                          std::size_t tile_step);

/// Second pass: transforms `to.count` rows that stand in tiles side by side (tiles[i]: columns
/// i·lanes …) and writes them as columns.
template <class T>
PLEAT_API void second_pass(const column_plan<T>& plan, const T* const* tiles, const mode<T>& how,
                           T* work, const column_block<T>& to);

/// Transforms plan.size contiguous numbers (method::direct); `from` may be `to`.
template <class T>
PLEAT_API void transform_direct(const transform_plan<T>& plan, const T* from, const mode<T>& how,
                                T* work, T* to);

/// Transforms up to `lanes` columns of plan.size rows; `from` may be `to`.
template <class T>
PLEAT_API void transform_columns(const column_plan<T>& plan, const column_block<const T>& from,
                                 const mode<T>& how, T* work, const column_block<T>& to);

/// Transforms of so many numbers are code of their own, in registers.
inline constexpr std::size_t largest_codelet = 16;

/// Transforms `count` sequences of plan.size numbers, one behind the other, a sequence in each
/// lane; `from` may be `to`. `work`: of work_numbers for the plan's rows, or `lanes` if that is
/// more. The results are those of each sequence alone, whatever else is transformed beside it.
template <class T>
PLEAT_API void transform_side_by_side(const column_plan<T>& plan, const T* from, std::size_t count,
                                      const mode<T>& how, T* work, T* to);

/// Transforms real numbers side by side: 2·plan.size of each sequence, and `pairs` is theirs, or
/// plan.size, and `pairs` is null. Of n/2 + 1 results each. `work`: for 2·plan.size + 2 rows or the
/// plan's. The ranges do not overlap.
template <class T>
PLEAT_API void transform_reals_side_by_side(const column_plan<T>& plan, const real_plan<T>* pairs,
                                            const T* from, std::size_t count, const mode<T>& how,
                                            T* work, T* to);

/// The kernel of this processor for one sequence of n numbers, complex or real, that calls neither
/// a plan nor memory; null if n is above largest_codelet. Requires n ≥ 1.
template <class T> using single_transform = void (*)(const T* from, const mode<T>& how, T* to);
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
                               std::size_t tile_step, std::size_t c, const mode<T>& how, T* work,
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
