// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Sorts a range, and returns where each group of equal elements begins; the last number is the
/// size of the range. So group g is [begins[g], begins[g + 1]).
///
/// ```cpp
/// const auto begins = pleat::group_by(machine, people, {}, &person::name);
/// std::cout << begins.size() - 1 << " names\n";
/// ```
///
/// Requires: what sort requires. Guarantees: equal elements keep their order, as with stable_sort.
/// NaNs are the last group, by less and by greater.
/// Cost: that of stable_sort, and two passes of n comparisons each. What all everyday algorithms
/// have in common: range_options.hpp; the report is that of the sort. Throws: as stable_sort.
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
[[nodiscard]] std::vector<std::size_t> group_by(machine& named, R&& range, Compare less,
                                                Projection projection,
                                                const range_options& options = {}) {
  const detail::call_machine here(named);
  machine& on = *here;
  const machine::turn mine(on);
  run_report sorted = pleat::stable_sort(on, range, less, projection, {.vps = options.vps});
  const auto first = detail::everyday::begin_of(range);
  using key = detail::everyday::shown_value<std::ranges::iterator_t<R>, Projection>;
  auto&& order = detail::sorting::order_by<key>(less);
  const auto begins_group = [&](std::size_t i) {
    return i == 0 ||
           static_cast<bool>(std::invoke(order, detail::everyday::shown(first, i - 1, projection),
                                         detail::everyday::shown(first, i, projection)));
  };
  const std::size_t n = detail::everyday::size_of(range);
  const auto places = std::views::iota(std::size_t{0}, n);
  const std::size_t groups = pleat::transform_reduce(
      on, places, std::size_t{0}, std::plus<>(), begins_group, range_options{.vps = options.vps});
  std::vector<std::size_t> begins(groups + 1, n);
  pleat::copy_if(on, places, begins, begins_group, range_options{.vps = options.vps});
  if (options.report != nullptr) *options.report = std::move(sorted);
  return begins;
}
template <divisible_range R, class Compare = std::ranges::less>
requires std::sortable<std::ranges::iterator_t<R>, Compare>
[[nodiscard]] std::vector<std::size_t> group_by(machine& on, R&& range, Compare less = {},
                                                const range_options& options = {}) {
  return pleat::group_by(on, range, std::move(less), std::identity(), options);
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<std::ranges::iterator_t<R>, Compare, Projection>
[[nodiscard]] std::vector<std::size_t> group_by(R&& range, Compare less, Projection projection,
                                                const range_options& options = {}) {
  const detail::call_machine on;
  return pleat::group_by(*on, range, std::move(less), std::move(projection), options);
}
template <divisible_range R, class Compare = std::ranges::less>
requires std::sortable<std::ranges::iterator_t<R>, Compare>
[[nodiscard]] std::vector<std::size_t> group_by(R&& range, Compare less = {},
                                                const range_options& options = {}) {
  const detail::call_machine on;
  return pleat::group_by(*on, range, std::move(less), std::identity(), options);
}

}  // namespace pleat
