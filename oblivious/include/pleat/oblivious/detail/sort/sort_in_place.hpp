// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <boost/sort/pdqsort/pdqsort.hpp>

#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/detail/sort/order_traits.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>

namespace pleat::detail::sorting {

/// Sorts values in place, without further memory. Values that are cheap to copy are sorted without
/// branches if the order is one of the library's.
template <class T, class Order> void sort_in_place(T* values, std::size_t n, const Order& order) {
  if constexpr (!trusted_order<Order>) {
    return sorting::checked_sort(values, values + n, order);
  }
  const auto by_reference = [&order](const T& a, const T& b) { return order(a, b); };
  if constexpr (sizeof(T) <= 32 && byte_movable<T> && std::is_default_constructible_v<T>)
    boost::sort::pdqsort_branchless(values, values + n, by_reference);
  else
    boost::sort::pdqsort(values, values + n, by_reference);
}

}  // namespace pleat::detail::sorting
