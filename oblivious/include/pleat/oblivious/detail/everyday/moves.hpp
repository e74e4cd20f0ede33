// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Random permutations that depend on the seed and places only, so that they are the same for any
// number of VPs.
namespace pleat::detail::everyday {

/// Counter-based generator: random numbers by their index. Source: Steele, Lea, Flood, Fast
/// Splittable Pseudorandom Number Generators, 2014 (the mixing function of SplitMix64).
class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) noexcept : seed_(mix(seed + gamma)) {}

  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const noexcept {
    return mix(seed_ + (i + 1) * gamma);
  }
  /// Random number less than `bound`, by the upper half of a product; the bias is less than
  /// bound/2^64.
  [[nodiscard]] std::size_t below(std::size_t bound, std::uint64_t i) const noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<wide>((*this)(i)) * bound) >> 64);
  }

 private:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
  [[nodiscard]] static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t seed_;
};

/// Random permutation of n elements: each draws a bucket that fits a cache, where those of lower
/// indices come first; then each bucket is shuffled by itself. Source: Sanders, Random Permutations
/// on Distributed, External and Hierarchical Memory, 1998.
class random_permutation {
 public:
  random_permutation(std::size_t n, std::uint64_t seed) noexcept
      : buckets_(n <= bucket_size ? 1 : std::bit_ceil(n / bucket_size + 1)),
        bucket_(seed),
        place_(bucket_(~std::uint64_t{0})) {}

  [[nodiscard]] std::size_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::size_t bucket_of(std::size_t i) const noexcept {
    return static_cast<std::size_t>(bucket_(i)) & (buckets_ - 1);
  }
  /// Shuffles a bucket that lies at `first`; `places` are its elements', among all n.
  /// Source: Durstenfeld, Algorithm 235: Random Permutation, 1964.
  template <std::random_access_iterator J> void shuffle(J first, const interval<>& places) const {
    for (std::size_t i = places.size(); i > 1; --i) {
      const std::size_t other = place_.below(i, places.first + i);
      if (other != i - 1)
        std::ranges::iter_swap(everyday::iterator_at(first, i - 1),
                               everyday::iterator_at(first, other));
    }
  }

 private:
  static constexpr std::size_t bucket_size = std::size_t{1} << 16;

  std::size_t buckets_;
  random_stream bucket_;
  random_stream place_;
};

// Random permutations: elements move to the buckets that they draw, which are then shuffled.

/// Moves the elements of `mine`, which begin at `from`, to `grouped`, which is uninitialised, in
/// the order of the buckets that they draw. `begins`: two numbers more than buckets; tells where
/// each begins in `grouped`, and where the last one ends.
template <class I, class T>
void group_by_bucket(const random_permutation& order, interval<> mine, I from, T* grouped,
                     std::size_t* begins) {
  std::fill_n(begins, order.buckets() + 2, std::size_t{0});
  for (std::size_t i = mine.first; i < mine.last; ++i) ++begins[order.bucket_of(i) + 2];
  for (std::size_t b = 0; b < order.buckets(); ++b) begins[b + 2] += begins[b + 1];
  for (std::size_t i = mine.first; i < mine.last; ++i, ++from)
    std::construct_at(grouped + begins[order.bucket_of(i) + 1]++, std::ranges::iter_move(from));
}

/// Parts of a VP's buckets that came from one VP: where each begins, and its elements.
template <class T> struct bucket_parts {
  const std::size_t* begins;
  handed<T>* elements;
};

/// Program of a VP of a random permutation. In one 0-superstep it sends each VP the elements that
/// belong to that VP's buckets; then it shuffles its own buckets. `to(places)` tells where
/// the elements of these places go. `grouped` and `begins` (see group_by_bucket) stay until the run
/// has ended.
template <class I, class T, class To>
task<> shuffle_program(vp& me, const random_permutation& order, interval<> mine, I from, T* grouped,
                       std::size_t* begins, const To& to) {
  const interval<> buckets{0, order.buckets()};
  std::vector<bucket_parts<T>> parts;
  parts.reserve(me.size());  // while all elements are where they were
  everyday::group_by_bucket(order, mine, from, grouped, begins);
  for (std::size_t q = 0; q < me.size(); ++q) {
    const interval<> theirs = buckets.share(q, me.size());
    if (theirs.empty()) continue;
    const std::size_t first = begins[theirs.first];
    me.lend(q, std::span<const std::size_t>(begins + theirs.first, theirs.size() + 1));
    detail::hand_over(me, q, std::span<T>(grouped + first, begins[theirs.last] - first));
  }
  co_await me.sync(0);
  const std::size_t count = buckets.share(me.rank(), me.size()).size();
  interval<> places;
  for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the elements
    const std::size_t* const theirs = m->template view<const std::size_t>().data;
    places.first += theirs[0];
    places.last += theirs[count];
    parts.push_back({theirs, nullptr});
    if (theirs[0] != theirs[count]) parts.back().elements = detail::handed_over<T>(*me.receive());
  }
  auto out = to(places);
  for (std::size_t b = 0; b < count; ++b) {
    const auto bucket = out;
    const std::size_t first = places.first;
    for (bucket_parts<T>& some : parts) {
      const std::size_t n = some.begins[b + 1] - some.begins[b];
      out = std::move(some.elements, some.elements + n, out);
      if constexpr (!handed_by_copies<T>) std::destroy_n(some.elements, n);
      some.elements += n;
      places.first += n;
    }
    order.shuffle(bucket, {first, places.first});
  }
}

template <std::random_access_iterator I>
void random_shuffle(executor&& where, I first, std::size_t n, std::uint64_t seed,
                    const range_options& options) {
  using value = std::iter_value_t<I>;
  static_assert(
      std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>,
      "random_shuffle moves values through other memory, where one whose move throws "
      "would be lost: shuffle indices instead");
  const random_permutation order(n, seed);
  const std::size_t vps = vps_for_bytes("random_shuffle", where, options.vps, n, 4 * sizeof(value));
  clear_report(options.report);
  if (order.buckets() == 1) {
    const alone_scope alone;
    order.shuffle(first, {0, n});
    return;
  }
  const machine::turn turn(where.on(), machine::use::scratch);
  value* grouped = nullptr;
  vp_arrays<std::size_t> begins;
  arena::take(where.on(), [&](arena& in) {
    grouped = in.array<value>(n);
    begins = in.arrays<std::size_t>(order.buckets() + 2, vps);
  });
  const auto to = [&first](const interval<>& places) {
    return everyday::iterator_at(first, places.first);
  };
  where.run(vps, options.report, [&](vp& me) {
    const interval<> mine = interval<>{0, n}.share(me.rank(), me.size());
    return everyday::shuffle_program(me, order, mine, to(mine), grouped + mine.first,
                                     begins[me.rank()], to);
  });
}

// Permutations of a range by swaps: reversal and rotation.

/// Pairs of places of a part of a range, which is reversed: the i-th from the front and the i-th
/// from the back.
template <std::random_access_iterator I> class mirrored {
 public:
  /// `first`: of the whole range, of n elements.
  mirrored(I first, std::size_t n, interval<> part) : first_(first), n_(n), part_(part) {}

  [[nodiscard]] std::size_t pairs() const noexcept { return part_.size() / 2; }
  void swap(interval<> some) const {
    // Local, because elements may have the type of the members.
    const I front = everyday::iterator_at(first_, part_.first),
            end = everyday::iterator_at(first_, part_.last);
    for (std::size_t k = some.first; k < some.last; ++k) {
      const auto i = static_cast<std::iter_difference_t<I>>(k);
      std::ranges::iter_swap(front + i, end - (i + 1));
    }
  }
  /// Swaps the pairs of a VP, and counts them where they lie.
  void swap(vp& me, interval<> some) const {
    const interval<> front{part_.first + some.first, part_.first + some.last};
    const interval<> back{part_.last - some.last, part_.last - some.first};
    const blocks_of_vps blocks(me, n_);
    for (const interval<>& side : {front, back}) {
      blocks.read(side);
      blocks.write(side);
    }
    swap(some);
  }

 private:
  I first_;
  std::size_t n_;
  interval<> part_;
};

/// Pairs of a VP if a whole range is reversed. One element of each lies in its block: of the pairs
/// of two blocks, one VP has the outer half and the other one the inner half.
[[nodiscard]] inline interval<> pairs_of(const vp& me, interval<> all) noexcept {
  const std::size_t q = me.rank(), vps = me.size();
  return all.share(2 * q < vps ? 2 * q : 2 * (vps - 1 - q) + 1, vps);
}

template <divisible_range R>
std::ranges::borrowed_iterator_t<R> reverse(executor&& where, R&& range,
                                            const range_options& options) {
  const std::size_t n = everyday::size_of(range);
  const mirrored all(everyday::changeable_begin_of(range), n, {0, n});
  const remainder left = everyday::start_alone(
      "reverse", where, options, all.pairs(),
      [&all](std::size_t begin, std::size_t end) {
        all.swap({begin, end});
      },
      std::is_arithmetic_v<std::ranges::range_value_t<R>> ? pace::known : pace::measured);
  const interval<> rest{left.done, all.pairs()};
  if (!rest.empty()) {
    where.run(left.vps, options.report, [&all, rest](vp& me) -> task<> {
      all.swap(me, pairs_of(me, rest));
      co_await me.sync(0);
    });
  }
  return everyday::place(std::forward<R>(range), n);
}

/// Program of a VP of a rotation: reverses both parts, then the whole range. Two 0-supersteps.
template <std::random_access_iterator I>
task<> rotate_program(vp& me, const mirrored<I>& front, const mirrored<I>& back,
                      const mirrored<I>& all) {
  front.swap(me, interval<>{0, front.pairs()}.share(me.rank(), me.size()));
  back.swap(me, interval<>{0, back.pairs()}.share(me.rank(), me.size()));
  co_await me.sync(0);
  all.swap(me, everyday::pairs_of(me, {0, all.pairs()}));
  co_await me.sync(0);
}

/// Throws: usage_error if a rotation's middle is beyond the end.
inline void require_middle(std::size_t n, std::size_t middle) {
  if (middle > n)
    throw usage_error("rotate: the middle of " + std::to_string(n) + " elements cannot be " +
                      std::to_string(middle));
}

template <divisible_range R>
std::ranges::borrowed_iterator_t<R> rotate(executor&& where, R&& range, std::size_t middle,
                                           const range_options& options) {
  const auto first = everyday::changeable_begin_of(range);
  const std::size_t n = everyday::size_of(range);
  require_middle(n, middle);
  clear_report(options.report);
  const std::size_t vps =  // a quarter of the time that others take to move as many bytes
      vps_for_bytes("rotate", where, options.vps, n / 4, sizeof(std::ranges::range_value_t<R>));
  if (vps == 1 && middle != 0 && middle != n) {
    const alone_scope alone;
    std::ranges::rotate(first, everyday::iterator_at(first, middle),
                        everyday::iterator_at(first, n));
  } else if (middle != 0 && middle != n) {
    const mirrored front(first, n, {0, middle}), back(first, n, {middle, n}), all(first, n, {0, n});
    where.run(vps, options.report,
              [&](vp& me) { return everyday::rotate_program(me, front, back, all); });
  }
  return everyday::place(std::forward<R>(range), n - middle);
}

}  // namespace pleat::detail::everyday
