// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "pleat_rivals_linked.hpp"
#include "sort_rivals.hpp"

namespace pleat::bench {

/// Sort of a rival for type T and that order.
template <class T, class Order> struct linked_sort {
  const char* name;
  void (*sort)(std::span<T>, unsigned threads, Order) = nullptr;  ///< null if it is not linked
};

/// Tells whether these keys, or those that indices point to, are sorted by a number.
template <class T, class Order>
inline constexpr bool has_radix_sort = (std::is_arithmetic_v<T> && sizeof(T) >= 4) || is_record<T>;
template <class T>
inline constexpr bool has_radix_sort<key_index, by_key_at<T>> = has_radix_sort<T, key_order<T>>;

/// Returns the parallel rivals that need not be stable, linked or not.
template <class T, class Order> std::vector<linked_sort<T, Order>> linked_sorts() {
  std::vector<linked_sort<T, Order>> all{{"ips4o"}, {"tbb"}, {"gnu-parallel"}, {"boost-sort"}};
#if PLEAT_WITH_IPS4O
  all[0].sort = ips4o_sort;
#endif
#if PLEAT_WITH_TBB
  all[1].sort = tbb_sort;
#endif
#if PLEAT_WITH_GNU_PARALLEL
  all[2].sort = gnu_parallel_sort;
#endif
#if PLEAT_WITH_BOOST_SORT
  all[3].sort = boost_sort;
#endif
  if constexpr (has_radix_sort<T, Order>) {
    all.insert(all.begin() + 1, linked_sort<T, Order>{"radix"});
#if PLEAT_WITH_OPENMP
    all[1].sort = radix_sort;
#endif
  }
  return all;
}

}  // namespace pleat::bench
