// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include <boost/sort/pdqsort/pdqsort.hpp>

#include <pleat/oblivious/detail/sort/checked_sort.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>

namespace pleat::detail::sorting {

/// Sorts values in place, without memory; in orders of ours, values that are cheap to copy without
/// branches.
template <class T, class Order> void sort_in_place(T* values, std::size_t n, const Order& order) {
  if constexpr (!trusted_order<Order>) {
    return checked_sort(values, values + n, order);
  }
  const auto by_reference = [&order](const T& a, const T& b) { return order(a, b); };
  if constexpr (sizeof(T) <= 32 && byte_movable<T> && std::is_default_constructible_v<T>)
    boost::sort::pdqsort_branchless(values, values + n, by_reference);
  else
    boost::sort::pdqsort(values, values + n, by_reference);
}

/// Orders in which no two values are equal say `static constexpr bool total = true`.
template <class Order> inline constexpr bool total_order = false;
template <class Order>
requires(Order::total) inline constexpr bool total_order<Order> = true;

/// Sequential super scalar sample sort on its way from one memory to another: the values are
/// classified into up to 256 buckets by a tree of splitters in which no branch depends on them,
/// moved to the bucket's places, and each bucket again, in cache. Buckets of one value, which the
/// sample foretells, are not sorted again. Compares 16-byte values about twice as fast as it could
/// in place, because a mispredicted branch costs more than a move.
///
/// Source: Sanders, Winkel, Super Scalar Sample Sort, 2004; Axtmann et al., In-place Parallel Super
/// Scalar Samplesort, 2017, for the buckets of equal values.
template <class T, class Order> class sample_sorter {
 public:
  static constexpr std::size_t worthwhile = 1024;  // fewer values are sorted in one piece

  /// How many values' memory it takes to sort n.
  [[nodiscard]] static constexpr std::size_t room(std::size_t n) noexcept {
    return n < worthwhile ? n : bucket_room(n) + splitter_room + n / sizeof(T) + 1;
  }

  /// Requires: `memory` for room(n) values, without values.
  sample_sorter(const Order& order, T* memory) : order_(order), memory_(memory) {}
  sample_sorter(const sample_sorter&) = delete;
  sample_sorter& operator=(const sample_sorter&) = delete;

  /// Writes n values sorted to `to`, memory without values. look(first, count, room) is where some
  /// of them are, which may be `room`. Requires: n ≥ worthwhile.
  template <class Look> void operator()(std::size_t n, const Look& look, T* to) {
    most_in_bucket_ = bucket_room(n);
    T* const bucket = memory_;
    tree_ = memory_ + most_in_bucket_;
    upper_ = tree_ + most_buckets;
    sample_ = upper_ + most_buckets;
    auto* const which = reinterpret_cast<std::uint8_t*>(tree_ + splitter_room);
    const ends_of_buckets ends = distribute(n, look, which, to);
    std::size_t first = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = ends.end[b] - first;
      if (count > 1 && !(ends.equal && b % 2 == 1)) sort_bucket(to + first, count, bucket, which);
      first = ends.end[b];
    }
  }

 private:
  static constexpr std::size_t again = 2048;   // smaller buckets are sorted in place
  static constexpr std::size_t few = 128;      // what is aimed at in a bucket
  static constexpr std::size_t at_a_time = 8;  // classified side by side
  static constexpr std::size_t most_buckets = 256;
  static constexpr std::size_t most_sampled = 8 * most_buckets;
  static constexpr std::size_t splitter_room = 2 * most_buckets + most_sampled;

  static constexpr std::size_t bucket_room(std::size_t n) noexcept {
    return std::max<std::size_t>(n / 32, std::min<std::size_t>(n, 4096));
  }

  struct ends_of_buckets {
    std::array<std::size_t, most_buckets> end;
    std::size_t buckets;
    bool equal;  // odd buckets hold values equal to one another
  };

  void sort_bucket(T* values, std::size_t n, T* bucket, std::uint8_t* which) {
    if (n > most_in_bucket_) return sort_in_place(values, n, order_);
    if (n < again) return sort_small(values, bucket, n, false, order_);
    const auto look = [values](std::size_t i, std::size_t, T*) -> const T* { return values + i; };
    const ends_of_buckets ends = distribute(n, look, which, bucket);
    std::size_t first = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = ends.end[b] - first;
      if (ends.equal && b % 2 == 1)
        std::uninitialized_copy_n(bucket + first, count, values + first);
      else
        sort_small(bucket + first, values + first, count, true, order_);
      first = ends.end[b];
    }
  }

  /// The values by buckets, each bucket's in their order before.
  template <class Look>
  ends_of_buckets distribute(std::size_t n, const Look& look, std::uint8_t* which, T* to) {
    unsigned levels = 1;
    while (levels < 8 && (n >> (levels + 1)) >= few) ++levels;
    const bool equal = choose_splitters(n, look, levels);
    if (equal) levels = std::min(levels, 7u);
    std::array<std::size_t, most_buckets> place{};
    if constexpr (!total_order<Order>) {
      if (equal) classify<true>(n, look, levels, which, place);
    }
    if (!equal) classify<false>(n, look, levels, which, place);
    ends_of_buckets ends{{}, equal ? std::size_t{2} << levels : std::size_t{1} << levels, equal};
    std::size_t sum = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = place[b];
      place[b] = sum;
      ends.end[b] = sum += count;
    }
    raw_values<T, at_a_time> group;
    for (std::size_t i = 0, some = 0; i < n; i += some) {
      some = std::min(at_a_time, n - i);
      const T* const here = look(i, some, group.data());
      for (std::size_t j = 0; j < some; ++j) std::construct_at(to + place[which[i + j]]++, here[j]);
    }
    return ends;
  }

  /// 2^levels − 1 splitters from a sample, in sorted_; if two are equal, half as many in tree_ and
  /// true: equal values get buckets of their own.
  template <class Look> bool choose_splitters(std::size_t n, const Look& look, unsigned levels) {
    const std::size_t buckets = std::size_t{1} << levels;
    const std::size_t each = n >= std::size_t{1} << 18 ? 8 : 3;
    const std::size_t sampled = buckets * each;
    T* const sample = sample_;
    std::uint64_t random = n;  // fixed by n: equal inputs take equal paths
    for (std::size_t i = 0; i < sampled; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      T* const at = sample + i;
      const T* const one = look(static_cast<std::size_t>((random >> 16) % n), 1, at);
      if (one != at) std::construct_at(at, *one);
    }
    if constexpr (trusted_order<Order>)
      sort_in_place(sample, sampled, order_);
    else  // no bucket is there yet
      sort_small(sample, memory_, sampled, false, order_);
    bool equal = false;
    for (std::size_t b = 1; !total_order<Order> && b + 1 < buckets; ++b)
      equal = equal || !order_(sample[b * each - 1], sample[(b + 1) * each - 1]);
    if (equal && levels == 8) {
      plant(1, 0, buckets / 2, sample, 2 * each);
    } else {
      plant(1, 0, buckets, sample, each);
    }
    return equal;
  }

  /// The splitters between buckets first … last − 1, as the subtree of node i: at sample positions
  /// that are multiples of `each`, less one.
  void plant(std::size_t i, std::size_t first, std::size_t last, const T* sample,
             std::size_t each) {
    if (last - first < 2) return;
    const std::size_t middle = first + (last - first) / 2;
    std::construct_at(tree_ + i, sample[middle * each - 1]);
    std::construct_at(upper_ + middle - 1, sample[middle * each - 1]);
    plant(2 * i, first, middle, sample, each);
    plant(2 * i + 1, middle, last, sample, each);
  }

  template <bool Equal, class Look>
  void classify(std::size_t n, const Look& look, unsigned levels, std::uint8_t* which,
                std::array<std::size_t, most_buckets>& count) {
    const T* const tree = tree_;
    const T* const upper = upper_;
    const std::size_t buckets = std::size_t{1} << levels;
    const auto finish = [&](const T& value, std::size_t node, std::size_t i) {
      std::size_t b = node - buckets;
      if constexpr (Equal) {
        const bool same = b + 1 < buckets && !order_(value, upper[b]);
        b = 2 * b + (same ? 1 : 0);
      }
      which[i] = static_cast<std::uint8_t>(b);
      ++count[b];
    };
    raw_values<T, at_a_time> memory;
    std::size_t i = 0;
    for (; i + at_a_time <= n; i += at_a_time) {
      const T* const group = look(i, at_a_time, memory.data());
      std::array<std::size_t, at_a_time> node;
      node.fill(1);
      for (unsigned level = 0; level < levels; ++level)
        for (std::size_t j = 0; j < at_a_time; ++j)
          node[j] = 2 * node[j] + without_branch(order_(tree[node[j]], group[j]));
      for (std::size_t j = 0; j < at_a_time; ++j) finish(group[j], node[j], i + j);
    }
    for (; i < n; ++i) {
      const T& value = *look(i, 1, memory.data());
      std::size_t node = 1;
      for (unsigned level = 0; level < levels; ++level)
        node = 2 * node + without_branch(order_(tree[node], value));
      finish(value, node, i);
    }
  }

  const Order& order_;
  T* memory_;
  std::size_t most_in_bucket_ = 0;
  // In that memory too, because stacks may be small.
  T* tree_ = nullptr;   // children of i: 2i and 2i + 1
  T* upper_ = nullptr;  // the greatest value bucket b may hold
  T* sample_ = nullptr;
};

/// Values larger than this cost more to move twice than to compare with mispredicted branches.
template <class T> inline constexpr bool sampled = sizeof(T) <= 64;

/// How many values' memory sort_copied takes besides the n it writes.
template <class T> constexpr std::size_t sort_room(std::size_t n) noexcept {
  if constexpr (sampled<T>) return sample_sorter<T, int>::room(n);
  return 0;
}

/// If every value is after the next, writes them backwards to `to`; else says no, mostly after one
/// look at the first values. `look` as below; `room` for 65 values, or n.
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

/// Writes n values sorted to `to`. look(first, count, room) is where some of them are, which may be
/// `room`. Requires: `to` and `memory` have room for n and sort_room(n) values, and hold none.
/// Throws what the order throws.
template <class T, class Order, class Look>
void sort_copied(std::size_t n, const Look& look, const Order& order, T* memory, T* to) {
  if constexpr (sampled<T>) {
    if (turned_round(n, look, order, memory, to)) return;
    if (n >= sample_sorter<T, Order>::worthwhile) {
      sample_sorter<T, Order>(order, memory)(n, look, to);
      return;
    }
  }
  const T* const from = look(0, n, to);
  if (from != to) std::uninitialized_copy_n(from, n, to);
  if constexpr (sampled<T> && !trusted_order<Order>)
    sort_small(to, memory, n, false, order);
  else
    sort_in_place(to, n, order);
}

}  // namespace pleat::detail::sorting
