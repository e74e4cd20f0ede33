// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/detail/sort/order_traits.hpp>

namespace pleat::detail::sorting {

/// Sorts n ≤ 8 values into other, uninitialised memory. Comparing all pairs gives the rank of each
/// value, which is its place. No branch depends on the values. If the comparator is no strict weak
/// order, two values may get the same place; the values are then sorted by checked_sort.
template <class T, class Order>
void sort_by_ranks(const T* from, std::size_t n, const Order& order, T* to) {
  std::array<std::size_t, 8> rank{};
  for (std::size_t j = 1; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::size_t exchange = sorting::without_branch(order(from[j], from[i]));
      rank[i] += exchange;
      rank[j] += 1 - exchange;
    }
  }
  if constexpr (!trusted_order<Order>) {
    unsigned places = 0;
    for (std::size_t i = 0; i < n; ++i) places |= 1U << rank[i];
    if (places + 1 != 1U << n) {
      std::uninitialized_copy_n(from, n, to);
      sorting::checked_sort(to, to + n, order);
      return;
    }
  }
  for (std::size_t i = 0; i < n; ++i) std::construct_at(to + rank[i], from[i]);
}

/// Merges two sorted sequences of n/2 and n − n/2 values, one behind the other, from both ends at a
/// time. Neither sequence can run out during the n/2 steps, so no branch depends on the values, and
/// two chains of operations overlap; two merges in turns overlap four. If the two ends do not meet,
/// because the comparator is no strict weak order, all is merged again from one end.
template <class T, class Order> class merge_of_halves {
 public:
  merge_of_halves(const T* from, std::size_t n, T* to) noexcept
      : from_(from),
        a_(from),
        b_(from + n / 2),
        a_last_(b_ - 1),
        b_last_(from + n - 1),
        to_(to),
        last_(to + n - 1),
        n_(n) {}

  /// Number of calls of `step` before `finish`.
  [[nodiscard]] std::size_t steps() const noexcept { return n_ / 2; }
  void step(const Order& order) {
    const std::size_t low = sorting::without_branch(order(*b_, *a_));
    std::construct_at(to_++, *sorting::choose(low, a_, b_));
    a_ += 1 - low;
    b_ += low;
    const std::size_t high = sorting::without_branch(order(*b_last_, *a_last_));
    std::construct_at(last_--, *sorting::choose(high, b_last_, a_last_));
    a_last_ -= high;
    b_last_ -= 1 - high;
  }
  void finish(const Order& order) {
    if constexpr (!trusted_order<Order>) {
      const auto left = static_cast<std::size_t>(a_last_ + 1 - a_);  // of the first sequence
      if (left > n_ % 2) return merge_again(order);
    }
    if (n_ % 2 != 0) std::construct_at(to_, a_ <= a_last_ ? *a_ : *b_);
  }

 private:
  void merge_again(const Order& order) {
    const T* a = from_;
    const T* const a_end = from_ + n_ / 2;
    const T* b = a_end;
    const T* const b_end = from_ + n_;
    T* to = to_ - n_ / 2;
    while (a != a_end && b != b_end) std::construct_at(to++, order(*b, *a) ? *b++ : *a++);
    std::uninitialized_copy(b, b_end, std::uninitialized_copy(a, a_end, to));
  }

  const T* from_;
  const T* a_;
  const T* b_;
  const T* a_last_;
  const T* b_last_;
  T* to_;
  T* last_;
  std::size_t n_;
};

template <class T, class Order>
void merge_halves(const T* from, std::size_t n, const Order& order, T* to) {
  merge_of_halves<T, Order> merge(from, n, to);
  for (std::size_t i = merge.steps(); i != 0; --i) merge.step(order);
  merge.finish(order);
}

/// Sorts n values that may be moved as bytes, stably: into `other`, which is uninitialised, or in
/// place. Meant for as many values as fit in a near cache. Cost: n · log2 n comparisons, on none of
/// which a branch depends. An order may have a faster way for up to 8 values:
/// `sort_eight(from, n, to)`; `to` may be `from`.
template <class T, class Order>
void sort_small(T* values, T* other, std::size_t n, bool into_other, const Order& order) {
  const std::size_t half = n / 2;
  T* const to = into_other ? other : values;
  T* const from = into_other ? values : other;
  if (n > 16) {  // sorts quarters into `to`, merges them to halves in `from`, and these into `to`
    const std::size_t rest = n - half;
    const std::size_t cuts[] = {0, half / 2, half, half + rest / 2, n};
    for (std::size_t q = 0; q < 4; ++q)
      sorting::sort_small(values + cuts[q], other + cuts[q], cuts[q + 1] - cuts[q], into_other,
                          order);
    merge_of_halves<T, Order> first(to, half, from);
    merge_of_halves<T, Order> second(to + half, rest, from + half);
    for (std::size_t i = first.steps(); i != 0; --i) {
      first.step(order);
      second.step(order);
    }
    if (second.steps() != first.steps()) second.step(order);
    first.finish(order);
    second.finish(order);
    sorting::merge_halves(from, n, order, to);
  } else if (n > 8) {
    sorting::sort_small(values, other, half, !into_other, order);
    sorting::sort_small(values + half, other + half, n - half, !into_other, order);
    sorting::merge_halves(from, n, order, to);
  } else if constexpr (requires { order.sort_eight(values, n, to); }) {
    order.sort_eight(values, n, to);
  } else {
    sorting::sort_by_ranks(values, n, order, other);
    if (!into_other) std::uninitialized_copy_n(other, n, values);
  }
}

}  // namespace pleat::detail::sorting
