// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/everyday/total.hpp>
#include <pleat/oblivious/detail/everyday/venue.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>

// The least or greatest of numbers: first its value and group, in lanes, then its place in the
// group. To carry the place along would cost some cycles an element.
namespace pleat::detail::everyday {

template <class Compare, class T>
inline constexpr bool compares_by_less =
    std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>> ||
    std::same_as<Compare, std::less<T>>;
template <class Compare, class T>
inline constexpr bool compares_by_greater =
    std::same_as<Compare, std::ranges::greater> || std::same_as<Compare, std::greater<>> ||
    std::same_as<Compare, std::greater<T>>;

/// Do comparisons of these take so little time that few of them are not worth dividing?
template <class R, class Projection>
inline constexpr bool cheap_elements =
    std::is_same_v<Projection, std::identity>&& std::is_arithmetic_v<std::ranges::range_value_t<R>>;

/// Are these numbers in the order of a comparison of the standard's?
template <class T, class Compare, class Projection>
inline constexpr bool ordered_in_lanes =
    std::is_arithmetic_v<T> && !std::same_as<T, bool> && sizeof(T) <= 8 &&
    std::same_as<Projection, std::identity> &&
    (compares_by_less<Compare, T> || compares_by_greater<Compare, T>);

/// The best value of a group.
template <class T> struct best_value {
  T value;
  std::size_t group;
};

/// The place of the first of those numbers of which Op gives the best; n if there are none.
template <class Op, std::random_access_iterator I>
[[nodiscard]] std::size_t first_of_best(const char* name, venue& where,
                                        const range_options& options, const I& first,
                                        std::size_t n) {
  using T = std::iter_value_t<I>;
  if (options.report != nullptr) *options.report = {};
  static_cast<void>(choose_vps(name, options.vps, 1, 1));  // there must be one
  if (n == 0) return 0;
  const grouping groups(n, true);
  const auto get = [&first](std::size_t i) -> T { return at(first, i); };
  Op better;
  const auto best_of_group = [&](std::size_t g) {
    const interval<> group = groups.group(g);
    T best = get(group.first);
    if (group.size() >= 2 * lanes_of<T>)
      best = combine_in_lanes<T>(group, better, get);
    else
      for (std::size_t i = group.first + 1; i < group.last; ++i) best = better(best, get(i));
    return best_value<T>{best, g};
  };
  auto first_better = [&better](const best_value<T>& a, const best_value<T>& b) {
    return better(a.value, b.value) == a.value ? a : b;
  };
  const best_value<T> best = total_of_groups(name, where, options, groups.count(),
                                             best_value<T>{get(0), 0}, first_better, best_of_group);
  const interval<> group = groups.group(best.group);
  std::size_t i = group.first;
  while (i < group.last && get(i) != best.value) ++i;
  return i < group.last ? i : group.first;  // a NaN equals nothing
}

/// The first of the least elements, or of the greatest: a sum of indices by the better of two.
template <bool Greatest, divisible_range R, class Compare, class Projection>
std::ranges::borrowed_iterator_t<R> best_element(const char* name, venue& where, R&& range,
                                                 Compare& less, Projection& projection,
                                                 const range_options& options) {
  const std::size_t n = size_of(range);
  const auto first = begin_of(range);
  using value = std::ranges::range_value_t<R>;
  if constexpr (ordered_in_lanes<value, Compare, Projection>) {
    using op = std::conditional_t<Greatest == compares_by_less<Compare, value>, maximum, minimum>;
    return place(std::forward<R>(range), first_of_best<op>(name, where, options, first, n));
  }
  const auto better = [&](std::size_t a, std::size_t b) {
    if constexpr (Greatest)
      return std::invoke(less, shown(first, a, projection), shown(first, b, projection)) ? b : a;
    else
      return std::invoke(less, shown(first, b, projection), shown(first, a, projection)) ? b : a;
  };
  const std::size_t best = total(name, where, options, n, cheap_elements<R, Projection>,
                                 std::size_t{0}, better, [](std::size_t i) { return i; });
  return place(std::forward<R>(range), best);
}

}  // namespace pleat::detail::everyday
