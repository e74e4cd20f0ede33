// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/extreme.hpp>
#include <pleat/oblivious/detail/everyday/first_place.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Is, class Projection>
std::ranges::borrowed_iterator_t<R> find_if(venue& where, R&& range, Is& is, Projection& projection,
                                            const range_options& options) {
  const auto first = begin_of(range);
  const std::size_t found = first_where(
      "find_if", where, options, size_of(range), cheap_elements<R, Projection>, [&](std::size_t i) {
        return static_cast<bool>(std::invoke(is, shown(first, i, projection)));
      });
  return place(std::forward<R>(range), found);
}

template <divisible_range A, divisible_range B, class Equal>
bool equal(venue& where, A& a, B& b, Equal& same, const range_options& options) {
  const std::size_t n = size_of(a);
  static_cast<void>(choose_vps("equal", options.vps, 1, 1));
  if (n != size_of(b)) {
    if (options.report != nullptr) *options.report = {};
    return false;
  }
  const auto first = begin_of(a);
  const auto second = begin_of(b);
  return first_where("equal", where, options, n, cheap_elements<A, std::identity>,
                     [&](std::size_t i) {
                       return !static_cast<bool>(std::invoke(same, at(first, i), at(second, i)));
                     }) == n;
}

template <class Compare, class R, class Projection>
concept orders =
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;
template <class Is, class R, class Projection>
concept tells =
    std::indirect_unary_predicate<Is, std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail::everyday

/// The first element x of which is(projection(x)) is true; the end of the range if there is none.
///
/// ```cpp
/// const auto at = pleat::find_if(machine, keys, [](auto key) { return key % 7 == 0; });
/// ```
///
/// What all everyday algorithms have in common: range_options.hpp.
/// Cost: elements are looked at in groups, in order, by whoever is free; so at most one group for
/// each VP beyond what is found. No barrier. Throws: what `is` and the projection throw, also for
/// an element behind the one that would have been found.
template <divisible_range R, class Is, class Projection = std::identity>
requires detail::everyday::tells<Is, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(machine& on, R&& range, Is is,
                                                          Projection projection,
                                                          const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::find_if(where, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is>
requires detail::everyday::tells<Is, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(machine& on, R&& range, Is is,
                                                          const range_options& options = {}) {
  return pleat::find_if(on, std::forward<R>(range), std::move(is), std::identity(), options);
}
template <divisible_range R, class Is, class Projection = std::identity>
requires detail::everyday::tells<Is, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, Is is, Projection projection,
                                                          const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::find_if(where, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is>
requires detail::everyday::tells<Is, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, Is is,
                                                          const range_options& options = {}) {
  return pleat::find_if(std::forward<R>(range), std::move(is), std::identity(), options);
}

/// Have two ranges the same number of elements, pairwise equal?
///
/// ```cpp
/// const bool copied = pleat::equal(machine, keys, copy);
/// ```
///
/// Cost and throws: as find_if.
template <divisible_range A, divisible_range B, class Equal = std::ranges::equal_to>
requires std::indirectly_comparable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>, Equal>
[[nodiscard]] bool equal(machine& on, A&& a, B&& b, Equal same = {},
                         const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::equal(where, a, b, same, options);
}
template <divisible_range A, divisible_range B, class Equal = std::ranges::equal_to>
requires std::indirectly_comparable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>, Equal>
[[nodiscard]] bool equal(A&& a, B&& b, Equal same = {}, const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::equal(where, a, b, same, options);
}

/// The first of the least elements by less(projection(a), projection(b)); the end of an empty
/// range.
///
/// ```cpp
/// const auto least = pleat::min_element(machine, keys);
/// const auto last = pleat::max_element(machine, people, {}, &person::name);
/// ```
///
/// NaNs come after all numbers, by less and by greater (range_options.hpp): they are found only
/// where there is nothing else. Cost: n − 1 comparisons, of each VP n/P; one 0-superstep, as
/// reduce. Throws: what `less` and the projection throw.
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::orders<Compare, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(machine& on, R&& range, Compare less,
                                                              Projection projection,
                                                              const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::best_element<false>("min_element", where, std::forward<R>(range), less,
                                               projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::orders<Compare, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(machine& on, R&& range,
                                                              Compare less = {},
                                                              const range_options& options = {}) {
  return pleat::min_element(on, std::forward<R>(range), std::move(less), std::identity(), options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::orders<Compare, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare less,
                                                              Projection projection,
                                                              const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::best_element<false>("min_element", where, std::forward<R>(range), less,
                                               projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::orders<Compare, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare less = {},
                                                              const range_options& options = {}) {
  return pleat::min_element(std::forward<R>(range), std::move(less), std::identity(), options);
}

/// The first of the greatest elements; of numbers the first NaN, if there is one: to pass over
/// them, call min_element by greater. Else as min_element.
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::orders<Compare, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(machine& on, R&& range, Compare less,
                                                              Projection projection,
                                                              const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::best_element<true>("max_element", where, std::forward<R>(range), less,
                                              projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::orders<Compare, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(machine& on, R&& range,
                                                              Compare less = {},
                                                              const range_options& options = {}) {
  return pleat::max_element(on, std::forward<R>(range), std::move(less), std::identity(), options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::orders<Compare, R, Projection>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare less,
                                                              Projection projection,
                                                              const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::best_element<true>("max_element", where, std::forward<R>(range), less,
                                              projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::orders<Compare, R, std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare less = {},
                                                              const range_options& options = {}) {
  return pleat::max_element(std::forward<R>(range), std::move(less), std::identity(), options);
}

}  // namespace pleat
