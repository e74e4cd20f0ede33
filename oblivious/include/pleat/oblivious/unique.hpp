// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/sifting.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Equal, class Projection>
std::ranges::borrowed_subrange_t<R> unique(venue& where, R&& range, Equal& same,
                                           Projection& projection, const range_options& options) {
  const std::size_t n = size_of(range);
  const auto first = changeable_begin_of(range);
  auto&& equal = sorting::equality_by<shown_value<std::ranges::iterator_t<R>, Projection>>(same);
  const std::size_t kept =
      sift<others::stay>("unique", where, options, first, n, [&](std::size_t i) {
        return i == 0 || !static_cast<bool>(std::invoke(equal, shown(first, i - 1, projection),
                                                        shown(first, i, projection)));
      });
  const auto begin = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<R>;
  return {begin + static_cast<difference>(kept), begin + static_cast<difference>(n)};
}

template <class Equal, class R, class Projection>
concept equates = std::permutable<std::ranges::iterator_t<R>> &&
    std::indirect_equivalence_relation<Equal,
                                       std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail::everyday

/// Keeps the first of neighbours that are equal, as same(projection(a), projection(b)) says; by
/// equal_to NaNs are equal to one another;
/// returns what is behind those that are kept: elements with unspecified values, to be erased.
///
/// ```cpp
/// const auto rest = pleat::unique(machine, keys);
/// keys.erase(rest.begin(), rest.end());
/// ```
///
/// Requires: `same` an equivalence relation; values whose moves do not throw. What all everyday
/// algorithms have in common: range_options.hpp. Cost: n − 1 comparisons; each element that is kept
/// is moved twice; two 0-supersteps. Memory of the machine: n further values and n bits. Throws:
/// what `same` and the projection throw, the elements are then as they were; std::bad_alloc.
template <divisible_range R, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires detail::everyday::equates<Equal, R, Projection> std::ranges::borrowed_subrange_t<R> unique(
    machine& on, R&& range, Equal same, Projection projection, const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::unique(where, std::forward<R>(range), same, projection, options);
}
template <divisible_range R, class Equal = std::ranges::equal_to>
requires detail::everyday::equates<Equal, R, std::identity> std::ranges::borrowed_subrange_t<R>
unique(machine& on, R&& range, Equal same = {}, const range_options& options = {}) {
  return pleat::unique(on, std::forward<R>(range), std::move(same), std::identity(), options);
}
template <divisible_range R, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires detail::everyday::equates<Equal, R, Projection> std::ranges::borrowed_subrange_t<R> unique(
    R&& range, Equal same, Projection projection, const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::unique(where, std::forward<R>(range), same, projection, options);
}
template <divisible_range R, class Equal = std::ranges::equal_to>
requires detail::everyday::equates<Equal, R, std::identity> std::ranges::borrowed_subrange_t<R>
unique(R&& range, Equal same = {}, const range_options& options = {}) {
  return pleat::unique(std::forward<R>(range), std::move(same), std::identity(), options);
}

}  // namespace pleat
