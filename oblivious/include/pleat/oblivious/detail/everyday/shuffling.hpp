// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/executor.hpp>
#include <pleat/oblivious/detail/everyday/random_permutation.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/shares/hand_over.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Random permutations: elements move to the buckets that they draw, which are then shuffled.
namespace pleat::detail::everyday {

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
void random_shuffle(executor& where, I first, std::size_t n, std::uint64_t seed,
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
  const auto place = [first](std::size_t i) {
    return first + static_cast<std::iter_difference_t<I>>(i);
  };
  const auto to = [&place](const interval<>& places) { return place(places.first); };
  where.run(vps, options.report, [&](vp& me) {
    const interval<> mine = interval<>{0, n}.share(me.rank(), me.size());
    return everyday::shuffle_program(me, order, mine, place(mine.first), grouped + mine.first,
                                     begins[me.rank()], to);
  });
}

}  // namespace pleat::detail::everyday
