// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/extreme.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Is, class Projection>
std::ranges::borrowed_iterator_t<R> find_if(executor&& where, R&& range, Is& is, Projection& given,
                                            const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  using shows = projection_type<Projection>;
  const auto first = everyday::begin_of(range);
  const std::size_t found = everyday::first_where(
      "find_if", where, detail::options_in(given, options), everyday::size_of(range),
      cheap_elements<R, shows>, pace_of<std::ranges::range_value_t<R>, Is, shows>,
      everyday::of_places(first, is, projection));
  return everyday::place(std::forward<R>(range), found);
}

template <divisible_range A, divisible_range B, class Equal>
bool equal(executor&& where, A& a, B& b, Equal& same, const range_options& options) {
  const std::size_t n = everyday::size_of(a);
  static_cast<void>(choose_vps("equal", options.vps, 1, 1));
  if (n != everyday::size_of(b)) {
    clear_report(options.report);
    return false;
  }
  const auto first = everyday::begin_of(a);
  const auto second = everyday::begin_of(b);
  return everyday::first_where("equal", where, options, n, cheap_elements<A, std::identity>,
                               pace_of<std::ranges::range_value_t<A>, Equal>, [&](std::size_t i) {
                                 return !static_cast<bool>(std::invoke(same, everyday::at(first, i),
                                                                       everyday::at(second, i)));
                               }) == n;
}

}  // namespace detail::everyday

/// Returns the first element x of which is(projection(x)) is true, or the end of the range if there
/// is none.
///
/// ```cpp
/// const auto at = pleat::find_if(machine, keys, [](auto key) { return key % 7 == 0; });
/// ```
///
/// The contract of all everyday algorithms: range_options.hpp.
/// Cost: VPs that are free test the groups of elements in order, so each VP tests at most one group
/// after that of the result. No barrier. Throws: what `is` and the projection throw, even for an
/// element after the first that matches.
template <divisible_range R, class Is, class Projection = range_options>
requires detail::everyday::tells<Is, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(machine& on, R&& range, Is is,
                                                          Projection projection = {},
                                                          const range_options& options = {}) {
  return detail::everyday::find_if({on}, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is, class Projection = range_options>
requires detail::everyday::tells<Is, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> find_if(R&& range, Is is,
                                                          Projection projection = {},
                                                          const range_options& options = {}) {
  return detail::everyday::find_if({}, std::forward<R>(range), is, projection, options);
}

/// Tells whether two ranges have the same number of elements, and these are pairwise equal.
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
  return detail::everyday::equal({on}, a, b, same, options);
}
template <divisible_range A, divisible_range B, class Equal = std::ranges::equal_to>
requires std::indirectly_comparable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>, Equal>
[[nodiscard]] bool equal(A&& a, B&& b, Equal same = {}, const range_options& options = {}) {
  return detail::everyday::equal({}, a, b, same, options);
}

/// Returns the first of the least elements by less(projection(a), projection(b)), or the end of an
/// empty range.
///
/// ```cpp
/// const auto least = pleat::min_element(machine, keys);
/// const auto last = pleat::max_element(machine, people, {}, &person::name);
/// ```
///
/// NaNs come after all numbers, by less and by greater (range_options.hpp): the result is a NaN
/// only if all elements are NaNs. Cost: n − 1 comparisons, n/P by each VP; one 0-superstep, as
/// reduce. Throws: what `less` and the projection throw.
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::orders<Compare, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(machine& on, R&& range,
                                                              Compare less = {},
                                                              Projection projection = {},
                                                              const range_options& options = {}) {
  return detail::everyday::best_element<false>("min_element", {on}, std::forward<R>(range), less,
                                               projection, options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::orders<Compare, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> min_element(R&& range, Compare less = {},
                                                              Projection projection = {},
                                                              const range_options& options = {}) {
  return detail::everyday::best_element<false>("min_element", {}, std::forward<R>(range), less,
                                               projection, options);
}

/// Returns the first of the greatest elements, or the first NaN if a range of numbers has NaNs. To
/// skip NaNs, call min_element by greater. All else is as for min_element.
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::orders<Compare, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(machine& on, R&& range,
                                                              Compare less = {},
                                                              Projection projection = {},
                                                              const range_options& options = {}) {
  return detail::everyday::best_element<true>("max_element", {on}, std::forward<R>(range), less,
                                              projection, options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::orders<Compare, R, detail::everyday::projection_type<Projection>>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> max_element(R&& range, Compare less = {},
                                                              Projection projection = {},
                                                              const range_options& options = {}) {
  return detail::everyday::best_element<true>("max_element", {}, std::forward<R>(range), less,
                                              projection, options);
}

namespace detail::distribution {

template <class Compare, class T, class Projection>
concept orders = std::indirect_strict_weak_order<Compare, std::projected<const T*, Projection>>;

/// Returns the index of the first of the least or greatest elements.
template <bool Greatest, class T, class Compare, class Projection>
std::size_t best_index(machine& on, const char* name, const distributed<T>& data, Compare& less,
                       Projection& projection) {
  auto call = data.collective(on, name);
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
    // Index and value of the best element of this rank; the index is size() if the rank has no
    // elements.
    using candidate = std::pair<std::uint64_t, T>;
    const bool has_one = best < block.size();
    const candidate mine(has_one ? data.global_index(best) : data.size(),
                         has_one ? block[best] : T());
    const auto choose = [&](const std::vector<candidate>& all) {
      const candidate* first = &mine;
      for (const candidate& other : all) {
        if (other.first == data.size()) continue;
        if (first == &mine || better(first->second, other.second)) first = &other;
      }
      best = first->first;
    };
    call.run([&](vp& me, const rank_places& places) {
      return distribution::tell_all_ranks(me, places, call.rank(), mine, choose);
    });
  }  // data of other types are on one rank only
  return best;
}

}  // namespace detail::distribution

/// Returns, on all ranks, the index of the first element x of which is(projection(x)) is true, or
/// size() if there is none.
///
/// ```cpp
/// const std::size_t at = pleat::find_if(machine, distributed_keys,
///                                       [](auto key) { return key % 7 == 0; });
/// ```
///
/// Collective, see distributed. Cost: each rank tests its block up to the first match in it, as
/// find_if of an array does; two 0-supersteps. Throws: what `is` and the projection throw on any
/// rank, even for an element after the first that matches.
template <class T, class Is, class Projection = std::identity>
requires std::indirect_unary_predicate<Is, std::projected<const T*, Projection>>
[[nodiscard]] std::size_t find_if(machine& on, const distributed<T>& data, Is is,
                                  Projection projection = {}) {
  auto call = data.collective(on, "find_if");
  const std::span<const T> block = data.local();
  std::size_t first = data.size();
  call.here([&] {
    const auto at = pleat::find_if(on, block, std::ref(is), projection);
    if (at != block.end()) first = data.global_index(static_cast<std::size_t>(at - block.begin()));
  });
  if (call.alone()) return first;
  const std::vector<std::size_t> all = detail::distribution::values_of_ranks(call, first);
  return *std::ranges::min_element(all);
}

/// Tells whether two distributed arrays have the same number of elements, and these are pairwise
/// equal. Returns the same on all ranks.
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
  auto call = a.collective(on, "equal", sizeof(B));
  bool all_same = false;
  call.check([&] { b.require_machine(on, "equal"); });
  call.here([&] {
    all_same = a.size() == b.size() && pleat::equal(on, a.local(), b.local(), std::ref(same));
  });
  if (call.alone()) return all_same;
  return std::ranges::count(detail::distribution::values_of_ranks(call, int{all_same}), 0) == 0;
}

/// Returns, on all ranks, the index of the first of the least elements by less(projection(a),
/// projection(b)), or size() if there are no elements.
///
/// ```cpp
/// const std::size_t least = pleat::min_element(machine, distributed_keys);
/// const std::size_t last = pleat::max_element(machine, distributed_people, {}, &person::age);
/// ```
///
/// Collective, see distributed. Cost: as min_element of a block; two 0-supersteps, in which each
/// rank sends one element to every other rank. Throws: what `less` and the projection throw on any
/// rank.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::distribution::orders<Compare, T, Projection>
[[nodiscard]] std::size_t min_element(machine& on, const distributed<T>& data, Compare less = {},
                                      Projection projection = {}) {
  return detail::distribution::best_index<false>(on, "min_element", data, less, projection);
}
/// Returns the index of the first of the greatest elements. All else is as for min_element.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::distribution::orders<Compare, T, Projection>
[[nodiscard]] std::size_t max_element(machine& on, const distributed<T>& data, Compare less = {},
                                      Projection projection = {}) {
  return detail::distribution::best_index<true>(on, "max_element", data, less, projection);
}

}  // namespace pleat
