// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace pleat::detail::sorting {

/// Orders of ours are known to be strict weak orders, and say `static constexpr bool trusted =
/// true`. A user's may answer anything: then the result is in no particular order, but no memory
/// beyond the values is touched, and none of them is lost.
template <class Order> inline constexpr bool trusted_order = false;
template <class Order>
requires(Order::trusted) inline constexpr bool trusted_order<Order> = true;

/// Sorts values in place, whatever the order answers: no loop ends because an answer ends it.
/// Introspective sort: quicksort with Hoare's partition, heapsort where that goes too deep.
/// Cost: O(n log n). Source: Musser, Introspective Sorting and Selection Algorithms, 1997.
template <class T, class Order> class checked_sorter {
 public:
  explicit checked_sorter(const Order& order) : order_(order) {}

  void operator()(T* first, T* last) const {
    sort(first, last,
         2 * static_cast<unsigned>(std::bit_width(static_cast<std::size_t>(last - first))));
  }

 private:
  static constexpr std::ptrdiff_t few = 16;

  void sort(T* first, T* last, unsigned depth) const {
    while (last - first > few) {
      if (depth-- == 0) {
        const auto less = [this](const T& a, const T& b) { return order_(a, b); };
        std::make_heap(first, last, less);
        std::sort_heap(first, last, less);
        return;
      }
      const auto [low_end, high_begin] = partition(first, last);
      if (low_end - first < last - high_begin) {
        sort(first, low_end, depth);
        first = high_begin;
      } else {
        sort(high_begin, last, depth);
        last = low_end;
      }
    }
    insert(first, last);
  }

  /// Neither part need be sorted against what lies between them.
  std::pair<T*, T*> partition(T* first, T* last) const {
    T* const middle = first + (last - first) / 2;
    if (order_(*middle, *first)) std::swap(*middle, *first);
    if (order_(last[-1], *middle)) {
      std::swap(last[-1], *middle);
      if (order_(*middle, *first)) std::swap(*middle, *first);
    }
    const T pivot = *middle;
    T* i = first;
    T* j = last - 1;
    for (;; ++i, --j) {
      while (i < j && order_(*i, pivot)) ++i;
      while (i < j && order_(pivot, *j)) --j;
      if (i >= j) break;
      std::swap(*i, *j);
      if (j - i < 2) return {j, j};
    }
    // One value is left: it goes with the side it belongs to.
    return order_(*i, pivot) ? std::pair(i + 1, i + 1) : std::pair(i, i);
  }

  void insert(T* first, T* last) const {
    for (T* i = first; i < last; ++i) {
      const T value = *i;
      T* to = i;
      for (; to > first && order_(value, to[-1]); --to) *to = to[-1];
      *to = value;
    }
  }

  const Order& order_;
};

}  // namespace pleat::detail::sorting
