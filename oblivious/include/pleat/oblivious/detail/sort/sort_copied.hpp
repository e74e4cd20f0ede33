// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <boost/sort/pdqsort/pdqsort.hpp>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>

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

/// Classifier of values into up to 256 buckets. Splitters from a sample form a binary tree, in
/// which values descend without a branch that depends on them. If two splitters are equal, every
/// other bucket is for values that are equal to one another.
template <class T, class Order> class splitter_tree {
 public:
  static constexpr std::size_t most_buckets = 256;
  static constexpr std::size_t at_a_time = 8;  // classified side by side
  static constexpr std::size_t most_sampled = 8 * most_buckets;
  /// Number of values for which the constructor's `memory` must have room. It is no member array,
  /// because stacks may be small.
  static constexpr std::size_t room = 2 * most_buckets + most_sampled;

  splitter_tree(const Order& order, T* memory)
      : order_(order),
        tree_(memory),
        upper_(tree_ + most_buckets),
        sample_(upper_ + most_buckets) {}
  splitter_tree(const splitter_tree&) = delete;
  splitter_tree& operator=(const splitter_tree&) = delete;

  /// Chooses splitters for n values, 128 a bucket or more. look(first, count, room) returns where
  /// `count` values lie, which may be `room`; `spare` has room for the sample.
  template <class Look> void choose(std::size_t n, const Look& look, T* spare) {
    levels_ = 1;
    while (levels_ < 8 && (n >> (levels_ + 1)) >= few) ++levels_;
    const std::size_t cuts = std::size_t{1} << levels_;
    std::size_t each = n >= std::size_t{1} << 18 ? 8 : 3;
    draw_sample(n, look, cuts * each, spare);
    equal_ = false;
    for (std::size_t b = 1; !total_order<Order> && b + 1 < cuts; ++b)
      equal_ = equal_ || !order_(sample_[b * each - 1], sample_[(b + 1) * each - 1]);
    if (equal_ && levels_ == 8) {  // twice as many buckets are needed
      levels_ = 7;
      each *= 2;
    }
    plant(1, 0, std::size_t{1} << levels_, sample_, each);
  }

  [[nodiscard]] std::size_t buckets() const noexcept {
    return equal_ ? std::size_t{2} << levels_ : std::size_t{1} << levels_;
  }
  /// Tells whether each odd bucket holds values that are equal to one another.
  [[nodiscard]] bool has_equal_buckets() const noexcept { return equal_; }

  /// Writes each value's bucket to `which`, and adds the number of values in each bucket to
  /// `count`.
  template <class Look>
  void classify(std::size_t n, const Look& look, std::uint8_t* which,
                std::array<std::size_t, most_buckets>& count) {
    if constexpr (!total_order<Order>) {
      if (equal_) return classify<true>(n, look, levels_, which, count);
    }
    classify<false>(n, look, levels_, which, count);
  }

 private:
  static constexpr std::size_t few = 128;  // least number of values per bucket, on average

  template <class Look>
  void draw_sample(std::size_t n, const Look& look, std::size_t sampled, T* spare) {
    std::uint64_t random = n;  // fixed by n: equal inputs take equal paths
    for (std::size_t i = 0; i < sampled; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      T* const at = sample_ + i;
      const T* const one = look(static_cast<std::size_t>((random >> 16) % n), 1, at);
      if (one != at) std::construct_at(at, *one);
    }
    if constexpr (trusted_order<Order>)
      sorting::sort_in_place(sample_, sampled, order_);
    else
      sorting::sort_small(sample_, spare, sampled, false, order_);
  }

  /// Makes the subtree of node i: the splitters between buckets first … last − 1, which are the
  /// sample's values at the multiples of `each`, less one.
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
          node[j] = 2 * node[j] + sorting::without_branch(order_(tree[node[j]], group[j]));
      for (std::size_t j = 0; j < at_a_time; ++j) finish(group[j], node[j], i + j);
    }
    for (; i < n; ++i) {
      const T& value = *look(i, 1, memory.data());
      std::size_t node = 1;
      for (unsigned level = 0; level < levels; ++level)
        node = 2 * node + sorting::without_branch(order_(tree[node], value));
      finish(value, node, i);
    }
  }

  const Order& order_;
  T* tree_;   // children of i: 2i and 2i + 1
  T* upper_;  // the greatest value bucket b may hold
  T* sample_;
  unsigned levels_ = 0;
  bool equal_ = false;
};

/// Sequential super scalar sample sort from one memory to another. A tree of splitters, in which no
/// branch depends on the values, classifies them into up to 256 buckets, and they are moved there.
/// Each bucket is then sorted in the same way, in cache, except those of equal values, which the
/// sample finds. Values of 16 bytes are sorted about twice as fast as in place, because a
/// mispredicted branch costs more than a move.
///
/// Source: Sanders, Winkel, Super Scalar Sample Sort, 2004; Axtmann et al., In-place Parallel Super
/// Scalar Samplesort, 2017, for the buckets of equal values.
template <class T, class Order> class sample_sorter {
  using tree = splitter_tree<T, Order>;

 public:
  static constexpr std::size_t worthwhile = 1024;  // fewer values are sorted in one piece

  /// Number of values for which a sort of n values needs memory.
  [[nodiscard]] static constexpr std::size_t room(std::size_t n) noexcept {
    return n < worthwhile ? n : bucket_room(n) + tree::room + n / sizeof(T) + 1;
  }

  /// Requires: `memory` has room for room(n) values and is uninitialised.
  sample_sorter(const Order& order, T* memory) : order_(order), memory_(memory) {}
  sample_sorter(const sample_sorter&) = delete;
  sample_sorter& operator=(const sample_sorter&) = delete;

  /// Writes n values, sorted, to `to`, which is uninitialised. look(first, count, room) returns
  /// where `count` of them lie, which may be `room`. Requires: n ≥ worthwhile.
  template <class Look> void operator()(std::size_t n, const Look& look, T* to) {
    most_in_bucket_ = bucket_room(n);
    T* const bucket = memory_;
    auto* const which = reinterpret_cast<std::uint8_t*>(memory_ + most_in_bucket_ + tree::room);
    const ends_of_buckets ends = distribute(n, look, which, to);
    std::size_t first = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = ends.end[b] - first;
      if (count > 1 && !(ends.equal && b % 2 == 1)) sort_bucket(to + first, count, bucket, which);
      first = ends.end[b];
    }
  }

 private:
  static constexpr std::size_t again = 2048;  // smaller buckets are sorted in place

  static constexpr std::size_t bucket_room(std::size_t n) noexcept {
    return std::max<std::size_t>(n / 32, std::min<std::size_t>(n, 4096));
  }

  struct ends_of_buckets {
    std::array<std::size_t, tree::most_buckets> end;
    std::size_t buckets;
    bool equal;  // odd buckets hold values equal to one another
  };

  void sort_bucket(T* values, std::size_t n, T* bucket, std::uint8_t* which) {
    if (n > most_in_bucket_) return sorting::sort_in_place(values, n, order_);
    if (n < again) return sorting::sort_small(values, bucket, n, false, order_);
    const auto look = [values](std::size_t i, std::size_t, T*) -> const T* { return values + i; };
    const ends_of_buckets ends = distribute(n, look, which, bucket);
    std::size_t first = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = ends.end[b] - first;
      if (ends.equal && b % 2 == 1)
        std::uninitialized_copy_n(bucket + first, count, values + first);
      else
        sorting::sort_small(bucket + first, values + first, count, true, order_);
      first = ends.end[b];
    }
  }

  /// Moves the values to their buckets in `to`, stably, and returns the ends of the buckets.
  template <class Look>
  ends_of_buckets distribute(std::size_t n, const Look& look, std::uint8_t* which, T* to) {
    tree splitters(order_, memory_ + most_in_bucket_);
    splitters.choose(n, look, memory_);
    std::array<std::size_t, tree::most_buckets> place{};
    splitters.classify(n, look, which, place);
    ends_of_buckets ends{{}, splitters.buckets(), splitters.has_equal_buckets()};
    std::size_t sum = 0;
    for (std::size_t b = 0; b < ends.buckets; ++b) {
      const std::size_t count = place[b];
      place[b] = sum;
      ends.end[b] = sum += count;
    }
    raw_values<T, tree::at_a_time> group;
    for (std::size_t i = 0, some = 0; i < n; i += some) {
      some = std::min(tree::at_a_time, n - i);
      const T* const here = look(i, some, group.data());
      for (std::size_t j = 0; j < some; ++j) std::construct_at(to + place[which[i + j]]++, here[j]);
    }
    return ends;
  }

  const Order& order_;
  T* memory_;
  std::size_t most_in_bucket_ = 0;
};

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
