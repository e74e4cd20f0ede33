// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

#include <pleat/oblivious/detail/distributed/select_blocks.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/sifting.hpp>
#include <pleat/oblivious/distributed.hpp>
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

/// Puts the elements x of which is(projection(x)) is true before all others, and returns how many
/// they are: the index where the others begin. Both parts keep their order.
///
/// ```cpp
/// const std::size_t odd = pleat::partition(machine, distributed_keys,
///                                          [](int key) { return key % 2 == 0; });
/// ```
///
/// Collective, see distributed. Cost: as partition of a block; each element travels at most once;
/// four 0-supersteps. Memory of each rank: two times its block, and what is sent and arrives.
/// Throws: what `is` and the projection throw on any rank, the elements are then as they were;
/// std::bad_alloc; usage_error (see distributed).
template <class T, class Is, class Projection = std::identity>
requires(std::copyable<T>&& std::indirect_unary_predicate<Is, std::projected<T*, Projection>>)
    std::size_t partition(machine& on, distributed<T>& data, Is is, Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "partition");
  const auto divide = [&](std::span<T> some) {
    return some.size() - pleat::partition(on, some, std::ref(is), projection).size();
  };
  if (call.alone()) {
    const machine::rank_turn here(on);
    return divide(data.local());
  }
  return detail::distribution::divide_blocks(on, call, data, divide);
}

}  // namespace pleat
