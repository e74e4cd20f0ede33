// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>

namespace pleat::detail {

/// Tells whether arrays [a, a_end) and [b, b_end) share memory.
inline bool arrays_overlap(const void* a, const void* a_end, const void* b,
                           const void* b_end) noexcept {
  const std::less<const void*> before;
  return before(a, b_end) && before(b, a_end);
}

/// Tells whether one of these two objects is among the first n elements of a range.
template <class Iterator>
bool holds(Iterator first, std::size_t n, const void* one, const void* other) {
  for (std::size_t i = 0; i < n; ++i) {
    const void* const here =
        std::addressof(first[static_cast<std::iter_difference_t<Iterator>>(i)]);
    if (here == one || here == other) return true;
  }
  return false;
}

/// Tells whether two ranges share memory. Arrays: exactly. Others whose elements lie in memory,
/// such as deques: if the first element of one is among the other's, as with parts of one
/// container. Elements that are made on the way share nothing.
template <class A, class B> bool ranges_overlap(A&& a, B&& b) {
  const auto m = static_cast<std::size_t>(std::ranges::size(a));
  const auto n = static_cast<std::size_t>(std::ranges::size(b));
  if (m == 0 || n == 0) return false;
  const auto first_a = std::ranges::begin(a);
  const auto first_b = std::ranges::begin(b);
  if constexpr (std::ranges::contiguous_range<A> && std::ranges::contiguous_range<B>) {
    const auto* const at_a = std::to_address(first_a);
    const auto* const at_b = std::to_address(first_b);
    return detail::arrays_overlap(at_a, at_a + m, at_b, at_b + n);
  } else if constexpr (std::is_lvalue_reference_v<std::ranges::range_reference_t<A>> &&
                       std::is_lvalue_reference_v<std::ranges::range_reference_t<B>>) {
    const auto& last_b = first_b[static_cast<std::ranges::range_difference_t<B>>(n - 1)];
    const void* const at_a = std::addressof(*first_a);
    return detail::holds(first_a, m, std::addressof(*first_b), std::addressof(last_b)) ||
           detail::holds(first_b, n, at_a, at_a);
  } else {
    return false;
  }
}

/// Bytes of the elements of a strided array: up to 8 dimensions, strides of any sign.
///
/// Elements of two arrays, or two of one, share a byte if a sum Σ xᵢ·sᵢ of indices times strides
/// lies in an interval of about an element's size: a knapsack problem. The answer is exact unless
/// it takes more than 2^20 intervals (see below): then it is that they do. Cost: O(1) for arrays
/// that are apart in memory; O(log n) for two strides, after those without gaps are joined and
/// equal ones counted once, as for all matrices. Each further stride, longest first, leaves the
/// shorter ones disjoint intervals to reach: a few if the strides are those of one larger array; in
/// general no more than the gaps in memory that the shorter strides reach over, for nested arrays
/// the rows of one index of the outermost dimension. Memory: these intervals.
class PLEAT_API strided_box {
 public:
  static constexpr std::size_t most_dimensions = 8;

  strided_box(const void* first, std::size_t element_bytes);
  /// Adds a dimension of so many indices, `stride` bytes from one to the next.
  strided_box& along(std::size_t indices, std::ptrdiff_t stride);

  /// Finds a dimension, in the order of adding, in whose index two elements differ that share a
  /// byte.
  [[nodiscard]] std::optional<std::size_t> colliding_dimension() const;

  friend bool overlap(const strided_box& a, const strided_box& b);

 private:
  struct dimension {
    std::ptrdiff_t stride, last;  ///< distance from index to index, ≥ 0; last index
    std::size_t number;           ///< in the order of adding
  };

  std::ptrdiff_t lowest_;  ///< address
  std::ptrdiff_t element_bytes_;
  bool empty_ = false;
  std::size_t added_ = 0, count_ = 0;
  std::array<dimension, most_dimensions> dimensions_{};  ///< of several indices, by stride
};

/// Tells whether the arrays have a byte in common.
[[nodiscard]] PLEAT_API bool overlap(const strided_box& a, const strided_box& b);

}  // namespace pleat::detail
