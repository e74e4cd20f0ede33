// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/group_begins.hpp>
#include <pleat/oblivious/detail/distributed/sort_blocks.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Sorts distributed data, and returns where each group of equal elements begins: indices among all
/// elements, also in blocks over the ranks. The last of them is the number of elements. So group g
/// is [begins[g], begins[g + 1]), and may lie on several ranks.
///
/// ```cpp
/// const auto begins = pleat::group_by(machine, distributed_people, {}, &person::name);
/// if (machine.rank() == 0) std::cout << begins.size() - 1 << " names\n";
/// ```
///
/// Requires: what sort of distributed data requires. Collective, see distributed. Guarantees: equal
/// elements keep their order; the result is that of group_by of one array. Cost: that of sort; n/P
/// comparisons for each of P VPs; four supersteps more, in the last of which the beginnings go to
/// their blocks. Memory of each rank: sort's, then 8 bytes for each beginning, three times. Throws:
/// as sort.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<T*, Compare, Projection>
[[nodiscard]] distributed<std::uint64_t> group_by(machine& on, distributed<T>& data,
                                                  Compare less = {}, Projection projection = {}) {
  if (on.ranks() == 1) {
    detail::distribution::collective_call call = data.collective(on, "group_by");
    std::vector<std::size_t> begins;
    call.here([&] {
      begins = pleat::group_by(on, data.local(), std::move(less), std::move(projection));
    });
    call.only_meet();
    distributed<std::uint64_t> result(on, begins.size());
    std::ranges::copy(begins, result.local().begin());
    return result;
  }
  detail::distribution::sort_blocks(on, "group_by", data, less, projection);
  auto&& order = detail::sorting::order_by<detail::everyday::shown_value<T*, Projection>>(less);
  const auto before = [&](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(order,
                                         std::invoke(projection, detail::sorting::changeable(a)),
                                         std::invoke(projection, detail::sorting::changeable(b))));
  };
  using detail::distribution::rank_places;
  detail::distribution::group_begins groups(data.size(), data.rank(),
                                            on.vps_here(on.threads()).size());
  const std::span<const T> block = data.local();
  if constexpr (byte_copyable<T>) {
    detail::distribution::collective_call call = data.collective(on, "group_by");
    call.run(
        [&](vp& me, const rank_places& places) { return groups.find(me, places, block, before); });
  }
  distributed<std::uint64_t> begins(on, groups.count() + 1);
  detail::distribution::collective_call call = begins.collective(on, "group_by");
  call.run(
      [&](vp& me, const rank_places& places) { return groups.place(me, places, begins.local()); });
  return begins;
}

}  // namespace pleat
