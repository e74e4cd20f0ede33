// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Requires that Add can take elements of R into a T.
template <class Add, class T, class R>
concept adds_to = divisible_range<R> && std::copyable<T> &&
    std::invocable<Add&, T&, std::ranges::range_reference_t<R>>;

template <divisible_range R, class T, class Add, class Merge>
T aggregate(executor&& where, R& range, T zero, Add& add, Merge& merge,
            const range_options& options) {
  const auto first = everyday::begin_of(range);
  const grouping groups(everyday::size_of(range), false);
  // A copy for the groups: `zero` itself is moved into the final merge.
  const T neutral = zero;
  return everyday::total_of_groups(
      "aggregate", where, options, groups, pace::measured, std::move(zero), merge,
      [first](std::size_t i) -> decltype(auto) { return everyday::at(first, i); },
      [&](interval<> group, const auto& get) {
        T sum = neutral;
        for (std::size_t i = group.first; i < group.last; ++i) std::invoke(add, sum, get(i));
        return sum;
      });
}

}  // namespace detail::everyday

/// Adds up elements into a sum of another type: statistics, tables of counts or sums, sets.
/// `add(sum, x)` adds an element to a sum in place; merge(a, b) returns the sum of two sums.
///
/// ```cpp
/// using counts = std::map<std::string, std::size_t>;
/// const counts names = pleat::aggregate(
///     machine, people, counts(), [](counts& sum, const person& p) { ++sum[p.name]; },
///     [](counts a, const counts& b) {
///       for (const auto& [name, n] : b) a[name] += n;
///       return a;
///     });
/// ```
///
/// Requires: merge is associative, except for rounding, and `zero` is its neutral element. Adding
/// elements to two sums and merging these gives the same as adding all elements to one. Neither add
/// nor merge need commute: the elements keep their order. T can be copied.
///
/// Guarantees: elements are added to copies of `zero` in groups whose size depends on n alone, and
/// the sums are merged in the tree of reduce. The result is the same on every machine and for any
/// number of VPs. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n calls of add, n/P by each VP; a copy of `zero` and a merge for each group of 2048
/// elements, or n/128 if that is less; one 0-superstep, in which each VP lends O(log n) sums to VP
/// 0. Throws: what add, merge and copies throw. Source: Chamberlain, Deitz et al., User-Defined
/// Parallel Reductions and Scans in Chapel, 2005 (accumulate, then combine).
template <divisible_range R, std::copyable T, class Add, class Merge = std::plus<>>
requires(detail::everyday::adds_to<Add, T, R>&& detail::everyday::combines<Merge, T>)
    [[nodiscard]] T aggregate(machine& on, R&& range, T zero, Add add, Merge merge = {},
                              const range_options& options = {}) {
  return detail::everyday::aggregate({on}, range, std::move(zero), add, merge, options);
}
template <divisible_range R, std::copyable T, class Add, class Merge = std::plus<>>
requires(detail::everyday::adds_to<Add, T, R>&& detail::everyday::combines<Merge, T>)
    [[nodiscard]] T
    aggregate(R&& range, T zero, Add add, Merge merge = {}, const range_options& options = {}) {
  return detail::everyday::aggregate({}, range, std::move(zero), add, merge, options);
}

}  // namespace pleat
