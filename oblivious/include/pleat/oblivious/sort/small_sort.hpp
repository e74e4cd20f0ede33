// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/sort/merge_two.hpp>

namespace pleat::detail::sorting {

/// Sorts n ≤ 8 values into other memory, without values: the place of each is the number of those
/// before it, found by comparing all with all. No branch depends on the values.
template <class T, class Order>
void sort_by_ranks(const T* from, std::size_t n, const Order& order, T* to) {
  std::array<std::size_t, 8> rank{};
  for (std::size_t j = 1; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::size_t exchange = without_branch(order(from[j], from[i]));
      rank[i] += exchange;
      rank[j] += 1 - exchange;
    }
  }
  for (std::size_t i = 0; i < n; ++i) std::construct_at(to + rank[i], from[i]);
}

/// Merges two sorted sequences of n/2 and n − n/2 values, one behind the other, from both ends at a
/// time: neither half can run out before it is done, so no branch depends on the values and two
/// chains overlap.
template <class T, class Order>
void merge_halves(const T* from, std::size_t n, const Order& order, T* to) {
  const std::size_t half = n / 2;
  const T* a = from;
  const T* b = from + half;
  const T* a_last = b - 1;
  const T* b_last = from + n - 1;
  T* last = to + n - 1;
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t low = without_branch(order(*b, *a));
    std::construct_at(to++, *choose(low, a, b));
    a += 1 - low;
    b += low;
    const std::size_t high = without_branch(order(*b_last, *a_last));
    std::construct_at(last--, *choose(high, b_last, a_last));
    a_last -= high;
    b_last -= 1 - high;
  }
  if (n % 2 != 0) std::construct_at(to, a <= a_last ? *a : *b);
}

/// Sorts n values that may be moved as bytes: into `other`, memory without values, or where they
/// are. For as many as a near cache holds. Stable. Cost: n · log2 n comparisons, none foretold.
template <class T, class Order>
void sort_small(T* values, T* other, std::size_t n, bool into_other, const Order& order) {
  if (n > 8) {
    const std::size_t half = n / 2;
    sort_small(values, other, half, !into_other, order);
    sort_small(values + half, other + half, n - half, !into_other, order);
    if (into_other)
      merge_halves(values, n, order, other);
    else
      merge_halves(other, n, order, values);
    return;
  }
  sort_by_ranks(values, n, order, other);
  if (!into_other)
    for (std::size_t i = 0; i < n; ++i) std::construct_at(values + i, other[i]);
}

}  // namespace pleat::detail::sorting
