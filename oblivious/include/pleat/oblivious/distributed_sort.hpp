// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/sort_blocks.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::sorting {

/// pleat::sort and pleat::stable_sort of distributed data. Equal elements keep their order, so the
/// result is the same for any number of ranks and workers, that of stable_sort on one array;
/// afterwards each rank holds its block of it.
///
/// ```cpp
/// pleat::sort(machine, distributed_keys);                       // on all ranks
/// pleat::sort(machine, distributed_keys, std::greater());
/// ```
///
/// Each rank sorts its block with the library's sort. The VPs, one for each worker of all ranks,
/// find by samples where the part that each of them makes begins in the blocks of all ranks, get
/// what belongs to it, and merge. The parts are exactly balanced, whatever the elements are.
///
/// Requires: `less` and `projection` as for sort; on all ranks the same ones, which give the same
/// answers. Collective, see distributed.
///
/// Guarantees: as stable_sort; numbers in the order of less or greater end up bit for bit the same.
/// Returns what the run of all ranks did, the same on all of them.
///
/// Cost, of each VP (P of them on R ranks, n elements): that of stable_sort on n/R elements by the
/// VPs of a rank; O(log n) supersteps, in each of which it gets up to 16 KiB of samples from each
/// rank; one superstep of n/P elements sent and received; ⌈log2 R⌉ comparisons for each of them; a
/// copy. Memory of each rank besides the block: stable_sort's for the block, then, in the same
/// memory, the block's size once; while it exchanges up to three times the block's size more: what
/// is sent, what arrives, and what has arrived.
///
/// Throws: what `less` or `projection` throws on any rank, every rank's block then holds its own
/// elements in some order; std::bad_alloc; usage_error (see distributed). If `less` is no strict
/// weak order, the blocks hold the elements in some order.
///
/// Source: Bilardi et al., Network-Oblivious Algorithms (the model); Varman et al., Merging
/// Multiple Lists on Hierarchical-Memory Multiprocessors, 1991 (exact splitters).
template <class T> struct sort_of_data<distributed<T>> {
  static constexpr const char* name = "distributed";

  template <class Compare, class Projection>
  static run_report sort(machine& on, const char* function, distributed<T>& data, Compare& less,
                         Projection& projection) {
    return distribution::sort_blocks(on, function, data, less, projection);
  }
};

}  // namespace detail::sorting

/// Sorts the keys, and moves the values along: value i goes where key i goes. Stable.
///
/// ```cpp
/// pleat::sort_by_key(machine, distributed_keys, distributed_values);
/// ```
///
/// Requires: as many values as keys; else as sort. Cost: that of sort of such pairs, and two
/// copies. Memory of each rank: the pairs of its block, and sort's. Throws: as sort, keys and
/// values are then as they were; usage_error (more or fewer values than keys).
template <class K, class V, class Compare = std::ranges::less>
requires(std::sortable<K*, Compare>&& std::copyable<V>) run_report
    sort_by_key(machine& on, distributed<K>& keys, distributed<V>& values, Compare less = {}) {
  detail::distribution::collective_call call = keys.collective(on, "sort_by_key", sizeof(V));
  call.check([&] {
    values.require_machine(on, "sort_by_key");
    if (keys.size() == values.size()) return;
    throw usage_error("sort_by_key: " + std::to_string(values.size()) + " values for " +
                      std::to_string(keys.size()) + " keys; give it as many");
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    return pleat::sort_by_key(on, keys.local(), values.local(), std::move(less));
  }
  call.only_meet();
  using pair = detail::sorting::key_and_value<K, V>;
  distributed<pair> pairs(on, keys.size());
  pairs.fill(on, [&](std::size_t i) {
    return pair{keys.local()[keys.local_index(i)], values.local()[values.local_index(i)]};
  });
  run_report report = pleat::sort(on, pairs, std::move(less), &pair::key);
  detail::distribution::surely_in_parts(on, pairs.local().size(), [&](const interval<>& part) {
    for (std::size_t j = part.first; j < part.last; ++j) {
      keys.local()[j] = pairs.local()[j].key;
      values.local()[j] = pairs.local()[j].value;
    }
  });
  return report;
}

/// The order in which the keys would be sorted: element i of the result is the index, among all, of
/// the i-th key. Stable: indices of equal keys ascend. The keys stay as they are.
///
/// ```cpp
/// const pleat::distributed<std::uint64_t> order = pleat::argsort(machine, distributed_keys);
/// ```
///
/// Requires, throws: as sort; numbers are ordered as for argsort of an array. Cost: that of sort of
/// pairs of a key and an index, and two copies. Memory of each rank: the pairs of its block, the
/// result's, and sort's.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires(std::sortable<T*, Compare, Projection>&& std::copyable<T>)
    [[nodiscard]] distributed<std::uint64_t> argsort(machine& on, const distributed<T>& keys,
                                                     Compare less = {},
                                                     Projection projection = {}) {
  detail::distribution::collective_call call = keys.collective(on, "argsort");
  call.only_meet();
  using pair = detail::sorting::key_and_value<T, std::uint64_t>;
  distributed<pair> pairs(on, keys.size());
  pairs.fill(on, [&](std::size_t i) { return pair{keys.local()[keys.local_index(i)], i}; });
  pleat::sort(on, pairs, std::move(less), [&projection](auto& one) -> decltype(auto) {
    return std::invoke(projection, one.key);
  });
  distributed<std::uint64_t> order(on, keys.size());
  order.fill(on, [&](std::size_t i) { return pairs.local()[pairs.local_index(i)].value; });
  return order;
}

}  // namespace pleat
