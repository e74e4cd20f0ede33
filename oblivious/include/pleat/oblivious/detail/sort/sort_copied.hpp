// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/sort/order_traits.hpp>
#include <pleat/oblivious/detail/sort/sample_sort.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/sort_in_place.hpp>

namespace pleat::detail::sorting {

/// Tells whether many values are sorted by sample_sorter. Moving larger ones twice costs more than
/// the branches that are mispredicted when they are compared.
template <class T> inline constexpr bool sampled = sizeof(T) <= 64;

/// Number of values for which sort_copied needs memory, besides the n that it writes.
template <class T> constexpr std::size_t sort_room(std::size_t n) noexcept {
  if constexpr (sampled<T>) return sample_sorter<T, int>::room(n);
  return 0;
}

/// Writes the values backwards to `to` if every value is after the next one; else returns false, in
/// most cases after reading the first values only. `look` is as below; `room` is for 65 values, or
/// n.
template <class T, class Order, class Look>
bool turned_round(std::size_t n, const Look& look, const Order& order, T* room, T* to) {
  constexpr std::size_t step = 64;
  for (std::size_t first = 0; first + 1 < n; first += step) {
    const std::size_t count = std::min(step + 1, n - first);
    const T* const here = look(first, count, room);
    for (std::size_t i = 1; i < count; ++i)
      if (!order(here[i], here[i - 1])) return false;
  }
  for (std::size_t first = 0; first < n; first += step) {
    const std::size_t count = std::min(step, n - first);
    const T* const here = look(first, count, room);
    for (std::size_t i = 0; i < count; ++i) std::construct_at(to + (n - 1 - first - i), here[i]);
  }
  return true;
}

/// Writes n values, sorted, to `to`. look(first, count, room) returns where `count` of them lie,
/// which may be `room`. Requires: `to` and `memory` are uninitialised and have room for n and
/// sort_room(n) values. Throws what the order throws.
template <class T, class Order, class Look>
void sort_copied(std::size_t n, const Look& look, const Order& order, T* memory, T* to) {
  if constexpr (sampled<T>) {
    if (sorting::turned_round(n, look, order, memory, to)) return;
    if (n >= sample_sorter<T, Order>::worthwhile) {
      sample_sorter<T, Order>(order, memory)(n, look, to);
      return;
    }
  }
  const T* const from = look(0, n, to);
  if (from != to) std::uninitialized_copy_n(from, n, to);
  if constexpr (sampled<T> && !trusted_order<Order>)
    sorting::sort_small(to, memory, n, false, order);
  else
    sorting::sort_in_place(to, n, order);
}

}  // namespace pleat::detail::sorting
