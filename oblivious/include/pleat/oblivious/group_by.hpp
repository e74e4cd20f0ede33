// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Returns the indices below n at which groups begin, followed by n.
template <class Begins>
[[nodiscard]] std::vector<std::size_t> begins_of_groups(machine& on, std::size_t n,
                                                        const Begins& begins_group,
                                                        const range_options& options) {
  const auto places = std::views::iota(std::size_t{0}, n);
  const std::size_t groups =
      pleat::transform_reduce(on, places, std::size_t{0}, std::plus<>(), begins_group, options);
  std::vector<std::size_t> begins(groups + 1, n);
  pleat::copy_if(on, places, begins, begins_group, options);
  return begins;
}

}  // namespace detail::everyday

/// Sorts a range, and returns where each group of equal elements begins; the last number is the
/// size of the range. Group g is [begins[g], begins[g + 1]).
///
/// ```cpp
/// const auto begins = pleat::group_by(machine, people, {}, &person::name);
/// std::cout << begins.size() - 1 << " names\n";
/// ```
///
/// Requires: what sort requires. Guarantees: equal elements keep their order, as with stable_sort.
/// NaNs are the last group, by less and by greater.
/// Cost: that of stable_sort, and two passes of n comparisons each. The contract of all everyday
/// algorithms: range_options.hpp; the report is that of the sort. Throws: as stable_sort.
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires std::sortable<std::ranges::iterator_t<R>, Compare,
                       detail::everyday::projection_type<Projection>>
[[nodiscard]] std::vector<std::size_t> group_by(machine& named, R&& range, Compare less = {},
                                                Projection given = {},
                                                const range_options& given_options = {}) {
  auto& projection = detail::projection_in<range_options>(given);
  const range_options& options = detail::options_in(given, given_options);
  const detail::call_machine here(named);
  machine& on = *here;
  const machine::turn mine(on);
  run_report sorted = pleat::stable_sort(on, range, less, projection, {.vps = options.vps});
  const auto first = detail::everyday::begin_of(range);
  using key = detail::everyday::shown_value<std::ranges::iterator_t<R>,
                                            detail::everyday::projection_type<Projection>>;
  auto&& order = detail::sorting::order_by<key>(less);
  const auto before = detail::everyday::of_places(first, order, projection);
  const auto begins_group = [&](std::size_t i) { return i == 0 || before(i - 1, i); };
  std::vector<std::size_t> begins = detail::everyday::begins_of_groups(
      on, detail::everyday::size_of(range), begins_group, {.vps = options.vps});
  if (options.report != nullptr) *options.report = std::move(sorted);
  return begins;
}
template <divisible_range R, class Compare = std::ranges::less, class Projection = range_options>
requires std::sortable<std::ranges::iterator_t<R>, Compare,
                       detail::everyday::projection_type<Projection>>
[[nodiscard]] std::vector<std::size_t> group_by(R&& range, Compare less = {},
                                                Projection projection = {},
                                                const range_options& options = {}) {
  return pleat::group_by(*detail::call_machine(), range, std::move(less), std::move(projection),
                         options);
}

/// Sorts distributed data, and returns a distributed array of the global indices at which the
/// groups of equal elements begin. The last entry is the number of elements. Group g is [begins[g],
/// begins[g + 1]), and may lie on several ranks.
///
/// ```cpp
/// const auto begins = pleat::group_by(machine, distributed_people, {}, &person::name);
/// if (machine.rank() == 0) std::cout << begins.size() - 1 << " names\n";
/// ```
///
/// Requires: what sort of distributed data requires. Collective, see distributed. Guarantees: equal
/// elements keep their order; the result is that of group_by of one array. Cost: that of sort; n/P
/// comparisons for each of P VPs; a few supersteps more, in the last of which the entries of the
/// result are sent to the ranks that hold them. Memory of each rank: that of sort, then 8 bytes for
/// each of its elements and for each group that begins in its block. Throws: as sort.
template <class T, class Compare = std::ranges::less, class Projection = std::identity,
          detail::distribution::index_type Index = std::uint64_t>
requires std::sortable<T*, Compare, Projection>
[[nodiscard]] distributed<Index> group_by(machine& on, distributed<T>& data, Compare less = {},
                                          Projection projection = {}) {
  detail::distribution::sort_blocks(on, "group_by", data, less, projection);
  auto&& order = detail::sorting::order_by<detail::everyday::shown_value<T*, Projection>>(less);
  using order_type = std::remove_reference_t<decltype(order)>;
  const detail::sorting::projected_order<order_type, Projection> before{&order, &projection};
  auto call = data.collective(on, "group_by");
  const std::span<const T> block = data.local();
  bool first_begins = true;
  const auto look = [&](const T& last) { first_begins = before(last, block.front()); };
  const auto before_block = [&](vp& me, const auto& places) {
    return detail::distribution::tell_element_before(me, places, data, look);
  };
  // The number of all elements comes last.
  const std::size_t more = data.rank() + 1 == data.ranks() ? 1 : 0;
  return detail::distribution::select_elements<Index>(
      on, call, std::views::iota(Index{data.block().first}).begin(), block.size() + more,
      [&](std::size_t j) {
        return j == block.size() || (j == 0 ? first_begins : before(block[j - 1], block[j]));
      },
      before_block);
}

}  // namespace pleat
