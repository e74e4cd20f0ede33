// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/merging.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Type that keys of two types, if they are numbers, are compared as.
template <class A, class B> struct compared_as : std::type_identity<A> {};
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) struct compared_as<A, B>
    : std::common_type<A, B> {
};

template <divisible_range A, divisible_range B, divisible_range O, class Compare, class Projection>
std::ranges::borrowed_iterator_t<O> merge(venue& where, A& a, B& b, O&& out, Compare& less,
                                          Projection& projection, const range_options& options) {
  using keys = compared_as<shown_value<std::ranges::iterator_t<A>, Projection>,
                           shown_value<std::ranges::iterator_t<B>, Projection>>;
  auto&& order = sorting::order_by<typename keys::type>(less);
  const merging all(begin_of(a), size_of(a), begin_of(b), size_of(b), changeable_begin_of(out),
                    order, projection);
  require_places("merge", all.size(), size_of(out));
  merge(where, options, all);
  return place(std::forward<O>(out), all.size());
}

template <class A, class B, class O, class Compare, class Projection>
concept merges_to = divisible_range<A> && divisible_range<B> && divisible_range<O> &&
    std::mergeable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>,
                   std::ranges::iterator_t<O>, Compare, Projection, Projection>;

}  // namespace detail::everyday

/// Merges two sorted ranges into one, `out`; returns the end of what was written. Of equal elements
/// those of `a` come first.
///
/// ```cpp
/// pleat::merge(machine, keys, more, all);
/// pleat::merge(machine, people, others, everybody, {}, &person::name);
/// ```
///
/// Requires: both in the order of less(projection(x), projection(y)), as sort leaves them, NaNs
/// last; an output that is long enough for both and shares no memory with them. If they are in no
/// order, or `less` is none, the output holds the elements of both in some order. What all everyday
/// algorithms have in common: range_options.hpp.
///
/// Cost: n comparisons, and log2 n for each VP, which finds its part of the result by binary
/// search; no barrier. Throws: what `less`, the projection and copies throw; usage_error for an
/// output that is too short.
/// Source: Deo, Sarkar, Parallel Algorithms for Merging and Sorting, 1991.
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = std::identity>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(machine& on, A&& a, B&& b, O&& out, Compare less,
                                              Projection projection,
                                              const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::merge(where, a, b, std::forward<O>(out), less, projection, options);
}
template <class A, class B, class O, class Compare = std::ranges::less>
requires detail::everyday::merges_to<A, B, O, Compare, std::identity>
    std::ranges::borrowed_iterator_t<O> merge(machine& on, A&& a, B&& b, O&& out, Compare less = {},
                                              const range_options& options = {}) {
  return pleat::merge(on, a, b, std::forward<O>(out), std::move(less), std::identity(), options);
}
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = std::identity>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(A&& a, B&& b, O&& out, Compare less,
                                              Projection projection,
                                              const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::merge(where, a, b, std::forward<O>(out), less, projection, options);
}
template <class A, class B, class O, class Compare = std::ranges::less>
requires detail::everyday::merges_to<A, B, O, Compare, std::identity>
    std::ranges::borrowed_iterator_t<O> merge(A&& a, B&& b, O&& out, Compare less = {},
                                              const range_options& options = {}) {
  return pleat::merge(a, b, std::forward<O>(out), std::move(less), std::identity(), options);
}

}  // namespace pleat
