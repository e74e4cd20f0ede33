// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail::everyday {

/// Brings the k-th of n elements to its place by swaps, none that is greater before it, whatever
/// the order answers: no loop ends because an answer ends it. Introspective selection: Hoare's, and
/// heapsort where that goes too deep. Requires: k < n. Cost: O(n), at worst O(n log n). Source:
/// Musser, Introspective Sorting and Selection Algorithms, 1997.
template <std::random_access_iterator I, class Compare, class Projection>
void checked_select(I first, std::size_t n, std::size_t k, Compare& less, Projection& projection) {
  constexpr std::size_t few = 16;
  const auto to = [first](std::size_t i) {
    return first + static_cast<std::iter_difference_t<I>>(i);
  };
  const auto swap = [&](std::size_t i, std::size_t j) { std::ranges::iter_swap(to(i), to(j)); };
  const auto before = [&](std::size_t i, std::size_t j) {
    return static_cast<bool>(
        std::invoke(less, shown(first, i, projection), shown(first, j, projection)));
  };
  interval<> left{0, n};
  auto depth = 2 * static_cast<unsigned>(std::bit_width(n));
  while (left.size() > few) {
    if (depth-- == 0) {
      std::ranges::make_heap(to(left.first), to(left.last), std::ref(less), std::ref(projection));
      std::ranges::sort_heap(to(left.first), to(left.last), std::ref(less), std::ref(projection));
      return;
    }
    // The median of three comes to the front, the pivot.
    const std::size_t pivot = left.first;
    std::size_t low = left.first + 1;
    std::size_t middle = left.first + left.size() / 2;
    const std::size_t last = left.last - 1;
    if (before(middle, low)) std::swap(low, middle);
    if (before(last, middle)) middle = before(last, low) ? low : last;
    swap(pivot, middle);
    std::size_t i = left.first + 1;
    std::size_t j = last;
    for (;; ++i, --j) {
      while (i <= j && before(i, pivot)) ++i;
      while (i <= j && before(pivot, j)) --j;
      if (i >= j) break;
      swap(i, j);
    }
    if (pivot != j) swap(pivot, j);
    if (k == j) return;
    if (k < j)
      left.last = j;
    else
      left.first = j + 1;
  }
  for (std::size_t i = left.first; i < left.last; ++i)
    for (std::size_t j = i; j > left.first && before(j, j - 1); --j) swap(j, j - 1);
}

}  // namespace pleat::detail::everyday
