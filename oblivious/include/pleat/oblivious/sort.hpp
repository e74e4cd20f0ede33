// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Sorts a range on the virtual processors (VPs) of a machine.
///
/// ```cpp
/// pleat::sort(machine, keys);                                   // any random access range
/// pleat::sort(machine, people, {}, &person::name);              // by a projection
/// pleat::sort(machine, keys.begin(), keys.end(), std::greater());
/// pleat::sort(keys);                                            // on the default machine
/// ```
///
/// Requires: random access to values (vector, array, span, deque); `less` a strict weak order of
/// what `projection` makes of them. Both are called by all VPs at once, and not copied.
///
/// Guarantees: the range is sorted; equal elements may change places. Arithmetic keys compared by
/// less or greater (of std or std::ranges) are ordered totally: NaNs come last whatever their sign
/// and whatever the direction, and, where they are the elements, -0.0 before +0.0 (after it when
/// descending); contiguous ones end up bit for bit the same whatever the machine. Values that may
/// be copied as bytes are, up to 64 bytes; all others, among them strings and what can only be
/// moved, are moved, twice each, once their places are known. With a machine, returns what the run
/// did; the report is empty if none took place, because one VP sorts without; numbers of less than
/// 128 KiB do not even wait for their turn at the machine. On the default machine returns the end
/// of the range, as std::ranges::sort does.
///
/// Cost, by the algorithm, which the report names (detail/sort/choose.hpp chooses it):
/// - distribution, of most numbers and of values by a number, on P VPs: local work of O(n/P) to
/// move
///   the keys to B ≈ 2^11 buckets or less, O((n/P) log(n/B)) to sort these in the cache, and O(P·B)
///   additions; h = n/P keys and P·B counts in 4 supersteps;
/// - Columnsort, of all others: O((n log n)/P + n) local work, h = O(n/P) keys in
///   O(1 + n/(P·2^14)) supersteps. With one key a VP, both powers of two, the program of the model;
/// - one VP: O(n log n), without a run.
///
/// Memory, taken from the machine, which keeps it for the next time: n further values, where
/// compared by values also a byte for each; for values moved in the end also an index of 4 bytes
/// each (8 from 2^32 on), or if that is more 16 bytes for each. With one VP none for few numbers.
/// Values by a number, the projection's or their own, compared by less or greater, are sorted much
/// faster than by a comparator that asks for the same number.
///
/// Throws: what `less`, `projection` or a move throws; std::bad_alloc; usage_error for 0 VPs. After
/// an exception of `less` or `projection` the range holds its values in some order, after one of a
/// move the one that could not be moved may be lost. If `less` is no strict weak order, the range
/// holds its values in some order, and no other memory is touched. Thread safety: calls on one
/// machine take turns.
///
/// Source: of the distribution Huang, Chow, Parallel Sorting and Data Partitioning by Sampling,
/// 1983; of Columnsort Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985; Bilardi
/// et al., Network-Oblivious Algorithms, section 4.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<I, Compare, Projection> run_report sort(machine& on, I first, S last,
                                                               Compare less, Projection projection,
                                                               const sort_options& options = {}) {
  const detail::call_machine here(on);
  const auto n = static_cast<std::size_t>(last - first);
  if (detail::sorting::sort_at_once<Compare, Projection>(first, n, options)) return {};
  return detail::sorting::sort_values<false>(*here, first, n, less, projection, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less>
requires std::sortable<I, Compare> run_report sort(machine& on, I first, S last, Compare less = {},
                                                   const sort_options& options = {}) {
  return pleat::sort(on, first, last, std::move(less), std::identity(), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
requires(
    std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare, Projection>)
    run_report sort(machine& on, R&& range, Compare less, Projection projection,
                    const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::sort(on, first, first + std::ranges::distance(range), std::move(less),
                     std::move(projection), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less>
requires(std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare>)
    run_report sort(machine& on, R&& range, Compare less = {}, const sort_options& options = {}) {
  return pleat::sort(on, range, std::move(less), std::identity(), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<I, Compare, Projection> I sort(I first, S last, Compare less,
                                                      Projection projection,
                                                      const sort_options& options = {}) {
  const I end = first + (last - first);
  const auto n = static_cast<std::size_t>(last - first);
  if (detail::sorting::sort_at_once<Compare, Projection>(first, n, options)) return end;
  const detail::call_machine on;
  pleat::sort(*on, first, end, std::move(less), std::move(projection), options);
  return end;
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less>
requires std::sortable<I, Compare> I sort(I first, S last, Compare less = {},
                                          const sort_options& options = {}) {
  return pleat::sort(first, last, std::move(less), std::identity(), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
requires(
    std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare, Projection>)
    std::ranges::borrowed_iterator_t<R> sort(R&& range, Compare less, Projection projection,
                                             const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::sort(first, first + std::ranges::distance(range), std::move(less),
                     std::move(projection), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less>
requires(std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare>)
    std::ranges::borrowed_iterator_t<R> sort(R&& range, Compare less = {},
                                             const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::sort(first, first + std::ranges::distance(range), std::move(less), std::identity(),
                     options);
}

/// As sort, but equal elements keep their order.
///
/// Of numbers equal ones cannot be told apart, but for zeros: -0.0 comes before +0.0, as it does
/// with sort. Memory: for values up to 64 bytes that may be copied as bytes an index of 8 bytes
/// besides each; for all others as for sort, which is stable with them.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<I, Compare, Projection> run_report
stable_sort(machine& on, I first, S last, Compare less, Projection projection,
            const sort_options& options = {}) {
  const detail::call_machine here(on);
  const auto n = static_cast<std::size_t>(last - first);
  if (detail::sorting::sort_at_once<Compare, Projection>(first, n, options)) return {};
  return detail::sorting::sort_values<true>(*here, first, n, less, projection, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less>
requires std::sortable<I, Compare> run_report stable_sort(machine& on, I first, S last,
                                                          Compare less = {},
                                                          const sort_options& options = {}) {
  return pleat::stable_sort(on, first, last, std::move(less), std::identity(), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
requires(
    std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare, Projection>)
    run_report stable_sort(machine& on, R&& range, Compare less, Projection projection,
                           const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::stable_sort(on, first, first + std::ranges::distance(range), std::move(less),
                            std::move(projection), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less>
requires(std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare>)
    run_report
    stable_sort(machine& on, R&& range, Compare less = {}, const sort_options& options = {}) {
  return pleat::stable_sort(on, range, std::move(less), std::identity(), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<I, Compare, Projection> I stable_sort(I first, S last, Compare less,
                                                             Projection projection,
                                                             const sort_options& options = {}) {
  const I end = first + (last - first);
  const auto n = static_cast<std::size_t>(last - first);
  if (detail::sorting::sort_at_once<Compare, Projection>(first, n, options)) return end;
  const detail::call_machine on;
  pleat::stable_sort(*on, first, end, std::move(less), std::move(projection), options);
  return end;
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          class Compare = std::ranges::less>
requires std::sortable<I, Compare> I stable_sort(I first, S last, Compare less = {},
                                                 const sort_options& options = {}) {
  return pleat::stable_sort(first, last, std::move(less), std::identity(), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less,
          class Projection = std::identity>
requires(
    std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare, Projection>)
    std::ranges::borrowed_iterator_t<R> stable_sort(R&& range, Compare less, Projection projection,
                                                    const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::stable_sort(first, first + std::ranges::distance(range), std::move(less),
                            std::move(projection), options);
}
template <std::ranges::random_access_range R, class Compare = std::ranges::less>
requires(std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare>)
    std::ranges::borrowed_iterator_t<R> stable_sort(R&& range, Compare less = {},
                                                    const sort_options& options = {}) {
  const auto first = std::ranges::begin(range);
  return pleat::stable_sort(first, first + std::ranges::distance(range), std::move(less),
                            std::identity(), options);
}

}  // namespace pleat
