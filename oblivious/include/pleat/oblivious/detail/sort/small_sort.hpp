// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <pleat/oblivious/detail/sort/keys.hpp>

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

/// Sorted sequence first[0], first[stride], …
template <class T> struct strided_run {
  const T* first = nullptr;
  std::size_t left = 0;
  std::size_t stride = 1;

  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first[i * stride]; }
  void skip(std::size_t count) noexcept {
    left -= count;
    if (left != 0) first += count * stride;  // no further than to its last value
  }
  [[nodiscard]] strided_run part(std::size_t from, std::size_t to) const noexcept {
    return {from == to ? first : first + from * stride, to - from, stride};
  }
};

/// Returns 1 or 0 so that compilers do not turn the condition into a branch. Results of comparing
/// keys are random, and half of such branches would be mispredicted.
inline std::size_t without_branch(bool condition) noexcept {
  auto bit = static_cast<std::size_t>(condition);
  __asm__("" : "+r"(bit));  // hides from the compiler how the bit was computed
  return bit;
}

/// Returns `one` if the bit is 1, else `zero`; without a branch.
template <class T> const T* choose(std::size_t bit, const T* zero, const T* one) noexcept {
  const std::uintptr_t mask = std::uintptr_t{0} - bit;
  const auto a = reinterpret_cast<std::uintptr_t>(zero);
  const auto b = reinterpret_cast<std::uintptr_t>(one);
  return reinterpret_cast<const T*>(a ^ ((a ^ b) & mask));
}

/// Returns how many of the first `count` values of the merge of a and b come from a; of equal ones,
/// a's come first. Requires: count ≤ a.left + b.left.
template <class T, class Order>
std::size_t merge_cut(const strided_run<T>& a, const strided_run<T>& b, std::size_t count,
                      const Order& order) {
  std::size_t low = count > b.left ? count - b.left : 0, high = std::min(count, a.left);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (order(b[count - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Merges the next `count` values of two runs into uninitialised memory, and removes them from the
/// runs; of equal ones, a's come first. The output is cut into four stretches, merged in turns. No
/// branch depends on the values, and the latencies of the four chains overlap.
/// The order is asked only whether a value of b comes before one of a.
/// Requires: count ≤ a.left + b.left. Cost: count + O(log count) comparisons.
template <class T, class Order>
void merge_two(strided_run<T>& a, strided_run<T>& b, std::size_t count, const Order& order,
               T* out) {
  struct chain {
    strided_run<T> a, b;
    T* out;

    void step(const Order& less) {
      const std::size_t from_b = sorting::without_branch(less(*b.first, *a.first));
      std::construct_at(out++, *sorting::choose(from_b, a.first, b.first));
      a.first += a.stride * (1 - from_b);
      b.first += b.stride * from_b;
    }
    void finish(const Order& less) {
      while (a.left != 0 && b.left != 0) {
        strided_run<T>& from = less(*b.first, *a.first) ? b : a;
        std::construct_at(out++, *from.first);
        from.skip(1);
      }
      for (strided_run<T>* rest : {&a, &b})
        for (; rest->left != 0; rest->skip(1)) std::construct_at(out++, *rest->first);
    }
  };
  std::array<chain, 4> chains;
  std::size_t from_a = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    const std::size_t first = count / 4 * c, last = c == 3 ? count : count / 4 * (c + 1);
    // Makes the cuts ascend even if the order is no strict weak order.
    const std::size_t cut =
        std::clamp(sorting::merge_cut(a, b, last, order), from_a, from_a + (last - first));
    chains[c] = {a.part(from_a, cut), b.part(first - from_a, last - cut), out + first};
    from_a = cut;
  }
  a.skip(from_a);
  b.skip(count - from_a);
  // Takes as many steps in each round as no chain runs out of values, while these are at least
  // eight. The last value of a run is left to `finish`, so that no chain points beyond its run.
  for (;;) {
    std::size_t steps = ~std::size_t{0};
    for (const chain& c : chains) steps = std::min({steps, c.a.left, c.b.left});
    if (steps < 8) break;
    --steps;
    const auto before = chains;
    for (std::size_t i = 0; i < steps; ++i)
      for (chain& c : chains) c.step(order);
    for (std::size_t c = 0; c < 4; ++c) {
      const auto taken =
          static_cast<std::size_t>(chains[c].a.first - before[c].a.first) / chains[c].a.stride;
      chains[c].a.left -= taken;
      chains[c].b.left -= steps - taken;
    }
  }
  for (chain& c : chains) c.finish(order);
}

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
