// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/extreme_program.hpp>
#include <pleat/oblivious/detail/distributed/rank_values.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::distribution {

template <class Compare, class T, class Projection>
concept orders = std::indirect_strict_weak_order<Compare, std::projected<const T*, Projection>>;

/// The first of the least elements, or of the greatest.
template <bool Greatest, class T, class Compare, class Projection>
std::size_t best_index(machine& on, const char* name, const distributed<T>& data, Compare& less,
                       Projection& projection) {
  collective_call call = data.collective(on, name);
  const std::span<const T> block = data.local();
  std::size_t best = 0;  // in the block
  call.here([&] {
    if constexpr (Greatest)
      best =
          static_cast<std::size_t>(pleat::max_element(on, block, less, projection) - block.begin());
    else
      best =
          static_cast<std::size_t>(pleat::min_element(on, block, less, projection) - block.begin());
  });
  if (call.alone()) return best;
  if constexpr (byte_copyable<T>) {
    auto&& order = sorting::order_by<everyday::shown_value<const T*, Projection>>(less);
    const auto better = [&](const T& a, const T& b) {
      return static_cast<bool>(std::invoke(order, std::invoke(projection, Greatest ? a : b),
                                           std::invoke(projection, Greatest ? b : a)));
    };
    extreme_program<T, decltype(better)> program(data.rank(),
                                                 best < block.size() ? &block[best] : nullptr,
                                                 data.block().first + best, better);
    call.run(program);
    return data.empty() ? 0 : program.index();
  } else {
    return 0;  // there are no such data on several ranks
  }
}

}  // namespace detail::distribution

/// The index of the first element x of which is(projection(x)) is true; size() if there is none. On
/// all ranks.
///
/// ```cpp
/// const std::size_t at = pleat::find_if(machine, distributed_keys,
///                                       [](auto key) { return key % 7 == 0; });
/// ```
///
/// Collective, see distributed. Cost: each rank looks at its block up to its own first hit, as
/// find_if of an array does; two 0-supersteps. Throws: what `is` and the projection throw on any
/// rank, also for an element behind the one that would have been found.
template <class T, class Is, class Projection = std::identity>
requires std::indirect_unary_predicate<Is, std::projected<const T*, Projection>>
[[nodiscard]] std::size_t find_if(machine& on, const distributed<T>& data, Is is,
                                  Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "find_if");
  const std::span<const T> block = data.local();
  std::size_t first = data.size();
  call.here([&] {
    const auto at = pleat::find_if(on, block, std::ref(is), projection);
    if (at != block.end()) first = data.global_index(static_cast<std::size_t>(at - block.begin()));
  });
  if (call.alone()) return first;
  const std::vector<std::uint64_t> all =
      detail::distribution::numbers_of_ranks(call, data.rank(), first);
  return *std::ranges::min_element(all);
}

/// Have two distributed arrays the same number of elements, pairwise equal? On all ranks.
///
/// ```cpp
/// const bool copied = pleat::equal(machine, distributed_keys, distributed_copy);
/// ```
///
/// Cost and throws: as find_if.
template <class A, class B, class Equal = std::ranges::equal_to>
requires std::indirectly_comparable<const A*, const B*, Equal>
[[nodiscard]] bool equal(machine& on, const distributed<A>& a, const distributed<B>& b,
                         Equal same = {}) {
  detail::distribution::collective_call call = a.collective(on, "equal", sizeof(B));
  bool all_same = false;
  call.check([&] { b.require_machine(on, "equal"); });
  call.here([&] {
    all_same = a.size() == b.size() && pleat::equal(on, a.local(), b.local(), std::ref(same));
  });
  if (call.alone()) return all_same;
  const std::vector<std::uint64_t> all =
      detail::distribution::numbers_of_ranks(call, a.rank(), all_same ? 1 : 0);
  return std::ranges::count(all, 0U) == 0;
}

/// The index of the first of the least elements by less(projection(a), projection(b)); size() if
/// there are no elements. On all ranks.
///
/// ```cpp
/// const std::size_t least = pleat::min_element(machine, distributed_keys);
/// const std::size_t last = pleat::max_element(machine, distributed_people, {}, &person::age);
/// ```
///
/// Collective, see distributed. Cost: as min_element of a block; two 0-supersteps, in which each
/// rank sends each other one element. Throws: what `less` and the projection throw on any rank.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::distribution::orders<Compare, T, Projection>
[[nodiscard]] std::size_t min_element(machine& on, const distributed<T>& data, Compare less = {},
                                      Projection projection = {}) {
  return detail::distribution::best_index<false>(on, "min_element", data, less, projection);
}
/// The same of the first of the greatest.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::distribution::orders<Compare, T, Projection>
[[nodiscard]] std::size_t max_element(machine& on, const distributed<T>& data, Compare less = {},
                                      Projection projection = {}) {
  return detail::distribution::best_index<true>(on, "max_element", data, less, projection);
}

}  // namespace pleat
