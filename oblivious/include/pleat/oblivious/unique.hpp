// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/stable_partition.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Equal, class Projection>
std::ranges::borrowed_subrange_t<R> unique(executor&& where, R&& range, Equal& same,
                                           Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  const std::size_t n = everyday::size_of(range);
  const auto first = everyday::changeable_begin_of(range);
  using shown_type = shown_value<std::ranges::iterator_t<R>, projection_type<Projection>>;
  auto&& equality = sorting::equality_by<shown_type>(same);
  const auto equal = everyday::of_places(first, equality, projection);
  const std::size_t count = everyday::partition_stably<others::stay>(
      "unique", where, detail::options_in(given, options), first, n,
      [equal](std::size_t i) { return i == 0 || !equal(i - 1, i); });
  return everyday::behind(std::forward<R>(range), count);
}

template <class Equal, class R, class Projection>
concept equates = std::permutable<std::ranges::iterator_t<R>> && std::indirect_equivalence_relation<
    Equal, std::projected<std::ranges::iterator_t<R>, projection_type<Projection>>>;

}  // namespace detail::everyday

/// Keeps the first of each group of equal neighbours, compared by same(projection(a),
/// projection(b)). NaNs are equal to one another by equal_to. Returns the rest of the range behind
/// the kept elements: elements with unspecified values, to be erased.
///
/// ```cpp
/// const auto rest = pleat::unique(machine, keys);
/// keys.erase(rest.begin(), rest.end());
/// ```
///
/// Requires: `same` is an equivalence relation; values whose moves do not throw. The contract of
/// all everyday algorithms: range_options.hpp. Cost: n − 1 comparisons; each element that is kept
/// is moved twice; two 0-supersteps. Memory of the machine: n further values and n bits. Throws:
/// what `same` and the projection throw (the elements are then unchanged); std::bad_alloc.
template <divisible_range R, class Equal = std::ranges::equal_to, class Projection = range_options>
requires detail::everyday::equates<Equal, R, Projection> std::ranges::borrowed_subrange_t<R> unique(
    machine& on, R&& range, Equal same = {}, Projection projection = {},
    const range_options& options = {}) {
  return detail::everyday::unique({on}, std::forward<R>(range), same, projection, options);
}
template <divisible_range R, class Equal = std::ranges::equal_to, class Projection = range_options>
requires detail::everyday::equates<Equal, R, Projection> std::ranges::borrowed_subrange_t<R> unique(
    R&& range, Equal same = {}, Projection projection = {}, const range_options& options = {}) {
  return detail::everyday::unique({}, std::forward<R>(range), same, projection, options);
}

/// Copies the first of each group of equal neighbours, compared by same(projection(a),
/// projection(b)), into new data in balanced blocks.
///
/// ```cpp
/// const auto different = pleat::unique(machine, distributed_keys);
/// ```
///
/// Requires: `same` is an equivalence relation. Cost: as copy_if; two 0-supersteps more, in which a
/// rank sends its last element to the next one. Memory, throws: as copy_if.
template <class T, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires(std::copyable<T>&&
             std::indirect_equivalence_relation<Equal, std::projected<const T*, Projection>>)
    [[nodiscard]] distributed<T> unique(machine& on, const distributed<T>& data, Equal same = {},
                                        Projection projection = {}) {
  namespace over = detail::distribution;
  auto call = data.collective(on, "unique");
  auto&& equal =
      detail::sorting::equality_by<detail::everyday::shown_value<const T*, Projection>>(same);
  const auto differs = [&](const T& a, const T& b) {
    return !static_cast<bool>(
        std::invoke(equal, std::invoke(projection, a), std::invoke(projection, b)));
  };
  const T* const block = data.local().data();
  bool first_differs = true;
  return over::select_elements<T>(
      on, call, block, data.local().size(),
      [&](std::size_t j) { return j == 0 ? first_differs : differs(block[j - 1], block[j]); },
      [&](vp& me, const over::rank_places& places) {
        return over::tell_element_before(
            me, places, data, [&](const T& before) { first_differs = differs(before, *block); });
      });
}

}  // namespace pleat
