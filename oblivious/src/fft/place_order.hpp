// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include <pleat/oblivious/detail/fft/tiling.hpp>

// Division of m points, a power of two, by the recursion, and the order of numbers in it.
namespace pleat::detail::fourier {

/// m points are a matrix of n1 rows and n2 columns: n2 columns of n1 points are transformed, then
/// n1 rows of n2.
struct halves {
  std::size_t n1, n2;
};
constexpr halves halve(std::size_t m) noexcept {
  const std::size_t n1 = std::size_t{1} << (std::bit_width(m) - 1) / 2;
  return {n1, m / n1};
}

/// The low log2 m bits of k in the opposite order.
constexpr std::size_t reversed(std::size_t k, std::size_t m) noexcept {
  std::size_t result = 0;
  for (; m > 1; m /= 2, k /= 2) result = 2 * result + k % 2;
  return result;
}

/// Order of numbers: place i of a segment is number i % b of its VP i / b.
///
/// Points stand so that each column is that of a sub-segment, and results so that each row is.
/// Their order within the columns, and within the rows, is their own; that of the columns, and of
/// the rows, is chosen such that what takes the results of the columns to the rows, a
/// transposition, is the reversal of the bits of the places.
class place_order {
 public:
  /// Makes the order for b numbers in each VP and `lanes` in a vector, both powers of two.
  constexpr place_order(std::size_t b, std::size_t lanes) noexcept : block_(b), largest_end_(b) {
    while (halve(2 * largest_end_).n1 >= 2 * largest_end_ / b * lanes) largest_end_ *= 2;
  }

  [[nodiscard]] constexpr std::size_t block() const noexcept { return block_; }
  /// Tells whether the recursion ends at m points, in the passes of a matrix: on one VP, and where
  /// the strip of each VP is whole tiles.
  [[nodiscard]] constexpr bool ends(std::size_t m) const noexcept { return m <= largest_end_; }

  [[nodiscard]] constexpr std::size_t point_at(std::size_t m, std::size_t place) const noexcept {
    const auto [n1, n2] = halve(m);
    if (ends(m)) return in_strips(m, n2, place);
    if (m == 2) return place;
    return point_at(n1, place % n1) * n2 + point_at(n2, reversed(place / n1, n2));
  }
  [[nodiscard]] constexpr std::size_t result_at(std::size_t m, std::size_t place) const noexcept {
    const auto [n1, n2] = halve(m);
    if (ends(m)) return in_strips(m, n1, place);
    if (m == 2) return place;
    return result_at(n1, reversed(place / n2, n1)) + n1 * result_at(n2, place % n2);
  }

 private:
  [[nodiscard]] constexpr std::size_t in_strips(std::size_t m, std::size_t columns,
                                                std::size_t place) const noexcept {
    if (m <= block_) return place;
    const std::size_t each = columns / (m / block_);
    const std::size_t first = place / block_ * each;
    return strip{columns, first, first + each}.number(place % block_);
  }

  std::size_t block_;
  std::size_t largest_end_;
};

}  // namespace pleat::detail::fourier
