// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace pleat::detail::sorting {

/// Partitions [first, last), of more than two values, around a pivot. Returns the end of the lower
/// part and the beginning of the upper one; values between them are in place.
template <class T, class Order>
std::pair<T*, T*> checked_partition(T* first, T* last, const Order& order) {
  T* const middle = first + (last - first) / 2;
  if (order(*middle, *first)) std::swap(*middle, *first);
  if (order(last[-1], *middle)) {
    std::swap(last[-1], *middle);
    if (order(*middle, *first)) std::swap(*middle, *first);
  }
  const T pivot = *middle;
  T* i = first;
  T* j = last - 1;
  for (;; ++i, --j) {
    while (i < j && order(*i, pivot)) ++i;
    while (i < j && order(pivot, *j)) --j;
    if (i >= j) break;
    std::swap(*i, *j);
    if (j - i < 2) return {j, j};
  }
  // Assigns the one value that is left to the side to which it belongs.
  return order(*i, pivot) ? std::pair(i + 1, i + 1) : std::pair(i, i);
}

template <class T, class Order> void checked_insertion(T* first, T* last, const Order& order) {
  for (T* i = first; i < last; ++i) {
    const T value = *i;
    T* to = i;
    for (; to > first && order(value, to[-1]); --to) *to = to[-1];
    *to = value;
  }
}

template <class T, class Order>
void checked_sort(T* first, T* last, const Order& order, unsigned depth) {
  constexpr std::ptrdiff_t few = 16;
  while (last - first > few) {
    if (depth-- == 0) {
      const auto less = [&order](const T& a, const T& b) { return order(a, b); };
      std::make_heap(first, last, less);
      std::sort_heap(first, last, less);
      return;
    }
    const auto [low_end, high_begin] = sorting::checked_partition(first, last, order);
    if (low_end - first < last - high_begin) {
      sorting::checked_sort(first, low_end, order, depth);
      first = high_begin;
    } else {
      sorting::checked_sort(high_begin, last, order, depth);
      last = low_end;
    }
  }
  sorting::checked_insertion(first, last, order);
}

/// Sorts values in place. Every loop ends whatever the comparator answers.
/// Introspective sort: quicksort with Hoare's partition, heapsort where that goes too deep.
/// Cost: O(n log n). Source: Musser, Introspective Sorting and Selection Algorithms, 1997.
template <class T, class Order> void checked_sort(T* first, T* last, const Order& order) {
  const auto n = static_cast<std::size_t>(last - first);
  sorting::checked_sort(first, last, order, 2 * static_cast<unsigned>(std::bit_width(n)));
}

}  // namespace pleat::detail::sorting
