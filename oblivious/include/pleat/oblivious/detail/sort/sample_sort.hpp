// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/oblivious/detail/sort/sort_in_place.hpp>
#include <pleat/oblivious/detail/sort/splitter_tree.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>

namespace pleat::detail::sorting {

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

}  // namespace pleat::detail::sorting
