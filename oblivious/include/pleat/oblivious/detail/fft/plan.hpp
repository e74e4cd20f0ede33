// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// What a transform of n points needs to know: factors and roots of unity. Plans are immutable and
// kept for the next transform of the same size; nothing is measured to make one.
namespace pleat::detail::fourier {

/// The greatest prime that has a butterfly. It costs as much a point as the prime is large: where
/// it is the only factor, this one as much as the chirp.
inline constexpr unsigned largest_prime = 61;

/// The factors of n that have a butterfly: 2, 4, 8, and odd primes up to largest_prime. Empty if n
/// has others, or n = 1.
std::vector<unsigned> radices_of(std::size_t n);
/// Has n no prime factor above largest_prime? Requires n ≥ 1.
bool is_smooth(std::size_t n) noexcept;
/// The greatest divisor of n that is at most √n. Requires n ≥ 1.
std::size_t middle_divisor(std::size_t n) noexcept;
/// The size of a convolution of n numbers or more: a number without prime factors above 7, less
/// than 2n, whose matrix takes few tiles of `lanes` × `lanes` numbers. Requires n ≥ 1.
std::size_t convolution_size(std::size_t n, std::size_t lanes) noexcept;

/// e^(−2πi·k/n), each part rounded once. Requires n ≥ 1.
struct root {
  double re, im;
};
root root_of_unity(std::size_t k, std::size_t n) noexcept;

/// A transform of m rows of vectors, in place, decimation in frequency: stage after stage, the
/// blocks of a stage one by one, so that they stay in cache.
template <class T> struct column_plan {
  struct stage {
    unsigned radix;
    std::size_t points;    ///< of the blocks this stage divides
    std::size_t twiddles;  ///< where its factors begin: radix − 1 pairs for each of points/radix
    std::size_t circle;    ///< where the roots of order radix begin, if the compiler has none
  };
  std::size_t size;
  std::vector<stage> stages;
  std::vector<T> twiddles;             ///< re, im, re, im, …
  std::vector<T> circles;              ///< of radices above 8: cosine, sine, cosine, …
  std::vector<std::uint32_t> place;    ///< where the result k stands after the last stage
  std::vector<std::uint32_t> last_at;  ///< k of the first result of each block of the last stage
};

/// Roots of unity of order n, by a product of two tables of about √n entries.
class root_table {
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
  direct,  ///< one column of vectors, then the lanes: in cache, n a multiple of the lanes
  matrix,  ///< columns, then rows of a matrix of about √n × √n
  chirp,   ///< a convolution of smooth size: n with a prime factor above largest_prime
};

/// Of n points of type T on vectors of `lanes` numbers.
template <class T> struct transform_plan {
  std::size_t size = 1;
  std::size_t lanes = 1;
  fourier::method method = fourier::method::matrix;

  column_plan<T> columns;  ///< of `rows` points: the first pass
  column_plan<T> across;   ///< of `size / rows` points: the second pass (matrix)
  std::size_t rows = 1;    ///< n1
  root_table roots;        ///< between the passes (matrix)
  /// w^(k·l) for the lanes l, as vectors: re of all lanes, im. First k = 0 … lanes − 1, then the
  /// first row of each tile, k = 0, lanes, 2·lanes … (matrix).
  std::vector<T> lane_powers;
  std::vector<T> twist;  ///< roots as vectors, row by row: re of all lanes, im (direct)

  std::shared_ptr<const transform_plan> inner;  ///< a matrix: of the convolution (chirp)
  /// As vectors, re of all lanes, im, in the order in which the passes read them: e^(−πi·j²/n) for
  /// column groups of the inner matrix, row by row; the transform of its conjugate, wrapped around
  /// and scaled, for row groups, column by column (chirp).
  std::vector<T> chirp, response;

  [[nodiscard]] std::size_t width() const noexcept { return size / rows; }  ///< n2
  /// Rows of the inner matrix that hold numbers (chirp).
  [[nodiscard]] std::size_t chirped_rows() const noexcept {
    return (size + inner->width() - 1) / inner->width();
  }
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

  [[nodiscard]] std::size_t bytes() const noexcept {
    return coarse.size() * sizeof(root) + 2 * fine_re.size() * sizeof(T);
  }
};

/// For columns of a matrix, `size` numbers each.
template <class T> struct plane_plan {
  std::size_t size = 1;
  std::size_t lanes = 1;
  column_plan<T> columns;                        ///< if the size is smooth
  std::shared_ptr<const transform_plan<T>> one;  ///< otherwise: of one column
  [[nodiscard]] std::size_t bytes() const noexcept {
    return columns.twiddles.size() * sizeof(T) + 16 * columns.size;
  }
};

/// The plan for n points and this processor's vectors; made at the first call, then kept among the
/// latest (at most `plans_kept` of them and 256 MiB). Requires n ≥ 1. Thread-safe.
/// Cost, first call: O(√n) roots (O(n) up to 2^13 points; O(n log n) for the chirp).
template <class T> std::shared_ptr<const transform_plan<T>> plan_for(std::size_t n);
/// Likewise; requires n even, n ≥ 2.
template <class T> std::shared_ptr<const real_plan<T>> real_plan_for(std::size_t n);
template <class T> std::shared_ptr<const plane_plan<T>> plane_plan_for(std::size_t n);
inline constexpr std::size_t plans_kept = 64;

/// The plan of a matrix, whatever n, for vectors of `lanes` numbers; it is not kept. Requires n ≥
/// 1, without prime factors above largest_prime.
template <class T>
std::shared_ptr<transform_plan<T>> make_matrix_plan(std::size_t n, std::size_t lanes);

}  // namespace pleat::detail::fourier
