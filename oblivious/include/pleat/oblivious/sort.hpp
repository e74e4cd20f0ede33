// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::sorting {

/// Overloads of sort and stable_sort: for a range, or an iterator and a sentinel, on a machine or
/// on the default one, with options that may take the place of the projection; and for distributed
/// data.
template <bool Stable> struct sort_function {
  static constexpr const char* name = Stable ? "stable_sort" : "sort";

  template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
            class Compare = std::ranges::less, class Projection = sort_options>
  requires std::sortable<I, Compare, projection_type<Projection>> run_report
  operator()(machine& on, I first, S last, Compare less = {}, Projection projection = {},
             sort_options options = {}) const {
    return on_machine(on, first, static_cast<std::size_t>(last - first), less,
                      detail::projection_in<sort_options>(projection),
                      detail::options_in(projection, options));
  }
  template <std::ranges::random_access_range R, class Compare = std::ranges::less,
            class Projection = sort_options>
  requires(std::ranges::sized_range<R>&& std::sortable<std::ranges::iterator_t<R>, Compare,
                                                       projection_type<Projection>>) run_report
  operator()(machine& on, R&& range, Compare less = {}, Projection projection = {},
             sort_options options = {}) const {
    return on_machine(
        on, std::ranges::begin(range), static_cast<std::size_t>(std::ranges::distance(range)), less,
        detail::projection_in<sort_options>(projection), detail::options_in(projection, options));
  }
  template <no_machine I, std::sized_sentinel_for<I> S, class Compare = std::ranges::less,
            class Projection = sort_options>
  requires(
      std::random_access_iterator<I>&& std::sortable<I, Compare, projection_type<Projection>>) I
  operator()(I first, S last, Compare less = {}, Projection projection = {},
             sort_options options = {}) const {
    return on_default(first, static_cast<std::size_t>(last - first), less,
                      detail::projection_in<sort_options>(projection),
                      detail::options_in(projection, options));
  }
  template <no_machine R, class Compare = std::ranges::less, class Projection = sort_options>
  requires(std::ranges::random_access_range<R>&& std::ranges::sized_range<R>&&
               std::sortable<std::ranges::iterator_t<R>, Compare, projection_type<Projection>>)
      std::ranges::borrowed_iterator_t<R>
  operator()(R&& range, Compare less = {}, Projection projection = {},
             sort_options options = {}) const {
    return on_default(
        std::ranges::begin(range), static_cast<std::size_t>(std::ranges::distance(range)), less,
        detail::projection_in<sort_options>(projection), detail::options_in(projection, options));
  }
  template <class T, class Compare = std::ranges::less, class Projection = std::identity>
  requires std::sortable<T*, Compare, Projection> run_report operator()(
      machine& on, distributed<T>& data, Compare less = {}, Projection projection = {}) const {
    return distribution::sort_blocks(on, name, data, less, projection);
  }
  /// Rejects all other calls; the error names the requirement that is not met. Any overload above
  /// is better, since it does not add `volatile`.
  template <class A, class B = no_argument, class C = no_argument, class D = no_argument,
            class... Rest, class Why = decltype(sorting::refusal_by<A, B, C, D, Rest...>())>
  Why operator()(A&&, B&& = {}, C&& = {}, D&& = {}, Rest&&...) const volatile = delete;

 private:
  static run_report without_run() noexcept {
    run_report report;
    report.algorithm = name_of(sort_method::alone, item_kind::word);
    return report;
  }
  template <class I, class Compare, class Projection>
  static run_report on_machine(machine& on, I first, std::size_t n, Compare& less,
                               Projection&& projection, const sort_options& options) {
    const call_machine here(on);
    if (sorting::sort_at_once<Compare, std::remove_cvref_t<Projection>>(first, n, options))
      return without_run();
    return sorting::sort_values<Stable>(*here, first, n, less, projection, options);
  }
  template <class I, class Compare, class Projection>
  static I on_default(I first, std::size_t n, Compare& less, Projection&& projection,
                      const sort_options& options) {
    if (!sorting::sort_at_once<Compare, std::remove_cvref_t<Projection>>(first, n, options)) {
      const call_machine on;
      sorting::sort_values<Stable>(*on, first, n, less, projection, options);
    }
    return first + static_cast<std::iter_difference_t<I>>(n);
  }
};

}  // namespace detail::sorting

/// Sorts a range on the virtual processors (VPs) of a machine, or distributed data on those of all
/// ranks.
///
/// ```cpp
/// pleat::sort(machine, keys);                                   // any random access range
/// pleat::sort(machine, people, {}, &person::name);              // by a projection
/// pleat::sort(machine, keys.begin(), keys.end(), std::greater());
/// pleat::sort(keys);                                            // on the default machine
/// pleat::sort(machine, distributed_keys);                       // on all ranks
/// ```
///
/// Requires: random access to values (vector, array, span, deque); `less` is a strict weak order on
/// the results of `projection`. All VPs call both concurrently; they are not copied.
///
/// Guarantees: the range is sorted; equal elements may change places. Arithmetic keys compared by
/// less or greater (of std or std::ranges) are ordered totally: NaNs come last, whatever their sign
/// and in either direction; if the keys are the elements, -0.0 comes before +0.0 (after it when
/// descending). Contiguous numbers end up bit for bit the same on every machine. Values of up to 64
/// bytes that may be copied as bytes are copied; all others, such as strings and values that can
/// only be moved, are sorted by index and then moved, twice each. With a machine, the call returns
/// the report of the run; it is empty if one VP sorts alone, without a run. Numbers of less than
/// 128 KiB in total do not even wait for a turn at the machine. On the default machine the call
/// returns the end of the range, as std::ranges::sort does.
///
/// Cost: it depends on the algorithm, which detail/sort/choose.hpp chooses and the report names:
/// - distribution, for most numbers and for values sorted by a number, on P VPs: local work of
///   O(n/P) to move the keys to at most B ≈ 2^11 buckets, of O((n/P) log(n/B)) to sort these in the
///   cache, and O(P·B) additions; h = n/P keys and P·B counts in 4 supersteps;
/// - Columnsort, for all others: O((n log n)/P + n) local work, h = O(n/P) keys in O(1 +
///   n/(P·2^14)) supersteps. With one key a VP, and a power of two of them, the program of the
///   model runs;
/// - one VP: O(n log n), without a run.
///
/// Memory, taken from the machine, which keeps it for the next call: n further values, and a byte
/// for each if values are compared; up to 2 MiB for each VP of a distribution. Values that are
/// moved at the end take also an index of 4 bytes each (8 from 2^32 on), or 16 bytes each if that
/// is more. One VP needs none for few numbers. A projection to a number, compared by less or
/// greater, is much faster than a comparator that compares the same number.
///
/// Throws: what `less`, `projection` or a move throws; std::bad_alloc; usage_error for 0 VPs. After
/// an exception of `less` or `projection` the range holds its values in some order; after an
/// exception of a move the value that could not be moved may be lost. If `less` is no strict weak
/// order, the range holds its values in some order, and no other memory is accessed. Thread safety:
/// calls on one machine take turns.
///
/// Distributed data (collective, see distributed): `less` and `projection` are the same on all
/// ranks and give the same answers. Equal elements keep their order, so the result is that of
/// stable_sort of one array, for any number of ranks and workers; each rank holds its block of the
/// result.
/// Cost, of each of P VPs on R ranks: that of stable_sort of the block by the VPs of a rank; O(log
/// n) supersteps, in each of which the VP receives up to 16 KiB of samples from each rank; one
/// superstep of n/P elements sent and received; ⌈log2 R⌉ comparisons for each of them; a copy.
/// Memory of each rank besides the block: that of stable_sort, and then, in the same memory, the
/// size of the block; in the exchange up to three times the size of the block in addition. After an
/// exception every rank's block holds its own elements in some order.
///
/// Source: distribution: Huang, Chow, Parallel Sorting and Data Partitioning by Sampling, 1983;
/// Columnsort: Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985; Bilardi et al.,
/// Network-Oblivious Algorithms, section 4; exact splitters of ranks: Varman et al., Merging
/// Multiple Lists on Hierarchical-Memory Multiprocessors, 1991.
inline constexpr detail::sorting::sort_function<false> sort;

/// Sorts as sort does, and keeps the order of equal elements.
///
/// Equal numbers cannot be told apart, except zeros: -0.0 comes before +0.0, as with sort. Memory:
/// values of up to 64 bytes that may be copied as bytes take an index of 8 bytes each in addition;
/// all others take what they take in sort, which is stable for them.
inline constexpr detail::sorting::sort_function<true> stable_sort;

}  // namespace pleat
