// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/everyday/best.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Compare, class Projection>
std::vector<std::size_t> top_k(venue& where, R& range, std::size_t k, Compare& less,
                               Projection& projection, const range_options& options) {
  const auto first = begin_of(range);
  auto&& order = sorting::order_by<shown_value<std::ranges::iterator_t<R>, Projection>>(less);
  const auto before = [&](std::size_t i, std::size_t j) {
    if (std::invoke(order, shown(first, j, projection), shown(first, i, projection))) return true;
    return i < j && !std::invoke(order, shown(first, i, projection), shown(first, j, projection));
  };
  return best_of(where, options, size_of(range), k, before);
}

template <class Compare, class R, class Projection>
concept ranks =
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;

}  // namespace detail::everyday

/// The indices of the k greatest elements by less(projection(a), projection(b)), the greatest
/// first; of equal ones the first. All indices, if there are fewer than k. NaNs are the greatest,
/// by less and by greater (range_options.hpp): a comparator of your own can put them elsewhere.
///
/// ```cpp
/// for (const std::size_t i : pleat::top_k(machine, keys, 10)) std::cout << keys[i] << '\n';
/// const auto least = pleat::top_k(machine, keys, 10, std::greater<>());
/// ```
///
/// What all everyday algorithms have in common: range_options.hpp.
/// Cost: n comparisons and O(P·k·log n·log k) more where the order of the elements is random, at
/// worst O(n log k); one 0-superstep, in which each VP lends VP 0 k indices. Made for k much less
/// than n/P; argsort otherwise. Throws: what `less` and the projection throw; std::bad_alloc.
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::ranks<Compare, R, Projection>
[[nodiscard]] std::vector<std::size_t> top_k(machine& on, R&& range, std::size_t k, Compare less,
                                             Projection projection,
                                             const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::top_k(where, range, k, less, projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::ranks<Compare, R, std::identity>
[[nodiscard]] std::vector<std::size_t> top_k(machine& on, R&& range, std::size_t k,
                                             Compare less = {}, const range_options& options = {}) {
  return pleat::top_k(on, range, k, std::move(less), std::identity(), options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires detail::everyday::ranks<Compare, R, Projection>
[[nodiscard]] std::vector<std::size_t> top_k(R&& range, std::size_t k, Compare less,
                                             Projection projection,
                                             const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::top_k(where, range, k, less, projection, options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires detail::everyday::ranks<Compare, R, std::identity>
[[nodiscard]] std::vector<std::size_t> top_k(R&& range, std::size_t k, Compare less = {},
                                             const range_options& options = {}) {
  return pleat::top_k(range, k, std::move(less), std::identity(), options);
}

}  // namespace pleat
