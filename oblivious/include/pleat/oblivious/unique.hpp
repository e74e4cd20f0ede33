// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/select_blocks.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/sifting.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

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

/// Copies the first of neighbours that are equal, as same(projection(a), projection(b)) says, into
/// new data in balanced blocks.
///
/// ```cpp
/// const auto different = pleat::unique(machine, distributed_keys);
/// ```
///
/// Requires: `same` an equivalence relation. Cost: as unique of a block; one 0-superstep more than
/// copy_if, in which a rank sends its last element to the next one. Memory, throws: as copy_if.
template <class T, class Equal = std::ranges::equal_to, class Projection = std::identity>
requires(std::copyable<T>&&
             std::indirect_equivalence_relation<Equal, std::projected<const T*, Projection>>)
    [[nodiscard]] distributed<T> unique(machine& on, const distributed<T>& data, Equal same = {},
                                        Projection projection = {}) {
  namespace over = detail::distribution;
  over::collective_call call = data.collective(on, "unique");
  over::chosen_elements<T> chosen;
  const std::span<const T> block = data.local();
  call.here([&] {
    chosen.memory = std::make_unique<T[]>(block.size());
    const std::span<T> to(chosen.memory.get(), block.size());
    std::copy(block.begin(), block.end(), to.begin());
    chosen.count = block.size() - pleat::unique(on, to, std::ref(same), projection).size();
  });
  if (call.alone()) {
    distributed<T> made(on, chosen.count);
    std::move(chosen.memory.get(), chosen.memory.get() + chosen.count, made.local().begin());
    return made;
  }
  if constexpr (byte_copyable<T>) {
    auto&& equal =
        detail::sorting::equality_by<detail::everyday::shown_value<const T*, Projection>>(same);
    std::span<const T> all(chosen.memory.get(), chosen.count);
    const auto skip_equal = [&](const T& before) {
      if (std::invoke(equal, std::invoke(projection, before),
                      std::invoke(projection, block.front())))
        all = all.subspan(1);
    };
    call.run([&](vp& me, const over::rank_places& places) {
      return over::tell_element_before(me, places, data, skip_equal);
    });
    return over::join_blocks(on, call, all);
  } else {
    return {};  // there are no such data on several ranks
  }
}

}  // namespace pleat
