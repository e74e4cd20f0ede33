// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/sifting.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Is, class Projection>
std::ranges::borrowed_subrange_t<R> partition(venue& where, R&& range, Is& is,
                                              Projection& projection,
                                              const range_options& options) {
  const std::size_t n = size_of(range);
  const auto first = changeable_begin_of(range);
  const std::size_t chosen =
      sift<others::follow>("partition", where, options, first, n, [&](std::size_t i) {
        return static_cast<bool>(std::invoke(is, shown(first, i, projection)));
      });
  const auto begin = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<R>;
  return {begin + static_cast<difference>(chosen), begin + static_cast<difference>(n)};
}

template <class Is, class R, class Projection>
concept divides = std::permutable<std::ranges::iterator_t<R>> &&
    std::indirect_unary_predicate<Is, std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail::everyday

/// Puts the elements x of which is(projection(x)) is true before all others; returns the others.
/// Both parts keep their order.
///
/// ```cpp
/// const auto odd = pleat::partition(machine, keys, [](auto key) { return key % 2 == 0; });
/// ```
///
/// Requires: values whose moves do not throw. What all everyday algorithms have in common:
/// range_options.hpp.
/// Cost: n calls; each element is moved twice; two 0-supersteps. Memory of the machine: n further
/// values and n bits.
/// Throws: what `is` and the projection throw, the elements are then as they were; std::bad_alloc.
template <divisible_range R, class Is, class Projection = std::identity>
requires detail::everyday::divides<Is, R, Projection> std::ranges::borrowed_subrange_t<R> partition(
    machine& on, R&& range, Is is, Projection projection, const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::partition(where, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is>
requires detail::everyday::divides<Is, R, std::identity> std::ranges::borrowed_subrange_t<R>
partition(machine& on, R&& range, Is is, const range_options& options = {}) {
  return pleat::partition(on, std::forward<R>(range), std::move(is), std::identity(), options);
}
template <divisible_range R, class Is, class Projection = std::identity>
requires detail::everyday::divides<Is, R, Projection> std::ranges::borrowed_subrange_t<R> partition(
    R&& range, Is is, Projection projection, const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::partition(where, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is>
requires detail::everyday::divides<Is, R, std::identity> std::ranges::borrowed_subrange_t<R>
partition(R&& range, Is is, const range_options& options = {}) {
  return pleat::partition(std::forward<R>(range), std::move(is), std::identity(), options);
}

}  // namespace pleat
