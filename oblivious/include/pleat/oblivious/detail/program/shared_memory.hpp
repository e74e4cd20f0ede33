// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
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

}  // namespace pleat::detail
