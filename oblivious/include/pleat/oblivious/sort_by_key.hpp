// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Sorts the keys, and moves each value i to the new position of key i. Stable.
///
/// ```cpp
/// pleat::sort_by_key(machine, distances, cities);
/// pleat::sort_by_key(machine, scores, names, std::greater());
/// ```
///
/// Requires: random access to as many values as keys, of any types that can be moved. Keys and
/// values share no memory. `less` as for sort; numbers are ordered as for argsort.
///
/// Cost: that of a sort of pairs, if the keys are numbers compared by less or greater and the
/// values may be copied as bytes; else that of argsort, and two moves of each key and value.
/// Memory, taken from the machine: an index of 4 bytes for each pair (8 from 2^32 on), and n
/// further keys and values; or that of argsort, if that is more; up to 2 MiB for each VP.
///
/// Throws: what `less` throws (keys and values are then unchanged); what a move throws (the key or
/// value that could not be moved may then be lost); std::bad_alloc; usage_error (0 VPs; more or
/// fewer values than keys; shared memory). Thread safety: calls on one machine take turns.
template <std::ranges::random_access_range K, std::ranges::random_access_range V,
          class Compare = std::ranges::less>
requires(std::ranges::sized_range<K>&& std::ranges::sized_range<V>&& std::sortable<
         std::ranges::iterator_t<K>, Compare>&& std::permutable<std::ranges::iterator_t<V>>)
    run_report sort_by_key(machine& named, K&& keys, V&& values, Compare less = {},
                           const sort_options& options = {}) {
  const detail::call_machine here(named);
  machine& on = *here;
  const auto n = static_cast<std::size_t>(std::ranges::size(keys));
  const auto others = static_cast<std::size_t>(std::ranges::size(values));
  if (n != others)
    throw usage_error("sort_by_key: " + std::to_string(others) + " values for " +
                      std::to_string(n) + " keys; give it as many");
  if (detail::ranges_overlap(keys, values))
    throw usage_error("sort_by_key: keys and values share memory; give each their own");
  using keys_type = std::ranges::iterator_t<K>;
  using values_type = std::ranges::iterator_t<V>;
  constexpr detail::sorting::sort_item item =
      detail::sorting::item_of_pairs<keys_type, values_type, Compare>();
  const std::size_t vps = detail::sorting::sort_vps(on, n, item, options);
  if (n < 2) return {};
  const keys_type first = std::ranges::begin(keys);
  if constexpr (item.kind == detail::sorting::item_kind::record) {
    constexpr bool descending = detail::sorting::order_of<std::ranges::range_value_t<K>, Compare> ==
                                detail::sorting::key_order::descending;
    const detail::sorting::paired_records<keys_type, values_type> records(
        first, std::ranges::begin(values), descending);
    return detail::sorting::sort_records(on, records, n, vps);
  } else {
    std::identity whole;
    const detail::sorting::indexed_keys<keys_type, std::identity> by(first, whole);
    return detail::sorting::sort_and_move(on, n, by, less, vps, first, std::ranges::begin(values));
  }
}
/// Runs on the default machine.
template <std::ranges::random_access_range K, std::ranges::random_access_range V,
          class Compare = std::ranges::less>
run_report sort_by_key(K&& keys, V&& values, Compare less = {}, const sort_options& options = {}) {
  return pleat::sort_by_key(*detail::call_machine(), keys, values, std::move(less), options);
}

/// Sorts distributed keys, and moves each distributed value i to the new position of key i. Stable.
///
/// ```cpp
/// pleat::sort_by_key(machine, distributed_keys, distributed_values);
/// ```
///
/// Requires: as many values as keys; all else as for sort of distributed data. Cost: that of sort
/// of pairs, and two copies. Memory of each rank: the pairs of its block, and that of sort. Throws:
/// as sort (keys and values are then unchanged); usage_error (more or fewer values than keys).
template <class K, class V, class Compare = std::ranges::less>
requires(std::sortable<K*, Compare>&& std::copyable<V>) run_report
    sort_by_key(machine& on, distributed<K>& keys, distributed<V>& values, Compare less = {}) {
  auto call = keys.collective(on, "sort_by_key", sizeof(V));
  call.check([&] {
    values.require_machine(on, "sort_by_key");
    if (keys.size() == values.size()) return;
    throw usage_error("sort_by_key: " + std::to_string(values.size()) + " values for " +
                      std::to_string(keys.size()) + " keys; give it as many");
  });
  if (call.alone())
    return call.own(
        [&] { return pleat::sort_by_key(on, keys.local(), values.local(), std::move(less)); });
  call.only_meet();
  using pair = detail::sorting::key_and_value<K, V>;
  distributed<pair> pairs(on, keys.size());
  pairs.fill(on, [&](std::size_t i) {
    return pair{keys.local()[keys.local_index(i)], values.local()[values.local_index(i)]};
  });
  auto key = &pair::key;
  run_report report = detail::distribution::sort_blocks(on, "sort_by_key", pairs, less, key);
  const auto put = [&](const interval<>& part) {
    for (std::size_t j = part.first; j < part.last; ++j) {
      keys.local()[j] = pairs.local()[j].key;
      values.local()[j] = pairs.local()[j].value;
    }
  };
  detail::distribution::in_parts_or_alone(on, pairs.local().size(), put);
  return report;
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::sort_by_key(std::forward<A>(a)...); }) detail::no_result
    sort_by_key(A&&...) {
  static_assert(
      detail::never<A...>,
      "pleat::sort_by_key: give random access ranges of keys that can be ordered and of "
      "values that can be moved, then order, sort_options; copy others into a std::vector");
  return {};
}

}  // namespace pleat
