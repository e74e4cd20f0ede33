// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/detail/sort/call.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Requires a range of keys: random access and a known size.
template <class R>
concept key_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// Requires a strict weak order on the results of `Projection` for the keys.
template <class Compare, class R, class Projection = std::identity>
concept order_of_keys =
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;

/// Requires a range of integers with random access, to which indices can be written.
template <class O>
concept index_range = key_range<O> && std::integral<std::ranges::range_value_t<O>> &&
    std::indirectly_writable<std::ranges::iterator_t<O>, std::ranges::range_value_t<O>>;

/// Writes the sorting permutation of the keys to `indices`: indices[i] becomes the index of the
/// i-th key in sorted order. Stable: indices of equal keys ascend. The keys do not change.
///
/// ```cpp
/// std::vector<std::uint32_t> order(keys.size());
/// pleat::argsort_to(machine, keys, order);
/// pleat::argsort_to(machine, people, order, {}, &person::name);
/// ```
///
/// Requires: random access to the keys and to as many integers, which share no memory with the
/// keys; `less` and `projection` as for sort. If numbers are compared by less or greater, NaNs come
/// last and are equal to one another, and the two zeros are equal, as in NumPy's stable order.
///
/// Cost: that of a sort of n items. An item has 8 bytes for numbers of up to 4 bytes (up to 2^32 of
/// them) and for keys that only `less` can order, else 16 bytes. Memory: as much as the items,
/// taken from the machine. Strings compared by less or greater are compared in full only if the 8
/// bytes after the common prefix are equal.
///
/// Throws: what `less` or `projection` throws (the indices are then unspecified); std::bad_alloc;
/// usage_error (0 VPs; more or fewer indices than keys; indices too short for them; shared memory).
/// Thread safety: calls on one machine take turns.
template <
    key_range R, index_range O, class Projection = sort_options,
    order_of_keys<R, detail::sorting::projection_type<Projection>> Compare = std::ranges::less>
run_report argsort_to(machine& named, R&& keys, O&& indices, Compare less = {},
                      Projection projection = {}, const sort_options& options = {}) {
  const detail::call_machine here(named);
  machine& on = *here;
  using index = std::ranges::range_value_t<O>;
  const auto n = static_cast<std::size_t>(std::ranges::size(keys));
  const auto places = static_cast<std::size_t>(std::ranges::size(indices));
  if (places != n)
    throw usage_error("argsort: " + std::to_string(places) + " indices for " + std::to_string(n) +
                      " keys; give it as many");
  if (n != 0 && n - 1 > static_cast<std::uintmax_t>(std::numeric_limits<index>::max()))
    throw usage_error("argsort: an index of " + std::to_string(sizeof(index)) +
                      " bytes cannot count " + std::to_string(n) + " keys; take a longer one");
  if (detail::ranges_overlap(keys, indices))
    throw usage_error("argsort: the indices share memory with the keys; give them their own");
  const auto out = std::ranges::begin(indices);
  const auto put = [&out](std::size_t i, std::size_t of) {
    out[static_cast<std::ranges::range_difference_t<O>>(i)] = static_cast<index>(of);
  };
  auto& by = detail::projection_in<sort_options>(projection);
  const detail::sorting::indexed_keys places_of(std::ranges::begin(keys), by);
  using key = typename decltype(places_of)::key;
  const std::size_t vps =
      detail::sorting::sort_vps(on, n, detail::sorting::item_of_index<key, Compare>(n),
                                detail::options_in(projection, options));
  if (n < 2) {
    if (n == 1) put(0, 0);
    return {};
  }
  return detail::sorting::sort_indices(on, n, places_of, less, put, vps, nullptr);
}
/// Runs on the default machine.
template <
    key_range R, index_range O, class Projection = sort_options,
    order_of_keys<R, detail::sorting::projection_type<Projection>> Compare = std::ranges::less>
run_report argsort_to(R&& keys, O&& indices, Compare less = {}, Projection projection = {},
                      const sort_options& options = {}) {
  return pleat::argsort_to(*detail::call_machine(), keys, indices, std::move(less),
                           std::move(projection), options);
}

/// Returns the sorting permutation as a vector of integers of type Index.
///
/// ```cpp
/// const auto order = pleat::argsort(machine, keys);              // std::vector<std::size_t>
/// const auto falling = pleat::argsort<std::uint32_t>(machine, keys, std::greater());
/// ```
template <
    std::integral Index = std::size_t, key_range R, class Projection = sort_options,
    order_of_keys<R, detail::sorting::projection_type<Projection>> Compare = std::ranges::less>
[[nodiscard]] std::vector<Index> argsort(machine& on, R&& keys, Compare less = {},
                                         Projection projection = {},
                                         const sort_options& options = {}) {
  std::vector<Index> indices(static_cast<std::size_t>(std::ranges::size(keys)));
  pleat::argsort_to(on, keys, indices, std::move(less), std::move(projection), options);
  return indices;
}
/// Runs on the default machine.
template <
    std::integral Index = std::size_t, key_range R, class Projection = sort_options,
    order_of_keys<R, detail::sorting::projection_type<Projection>> Compare = std::ranges::less>
[[nodiscard]] std::vector<Index> argsort(R&& keys, Compare less = {}, Projection projection = {},
                                         const sort_options& options = {}) {
  return pleat::argsort<Index>(*detail::call_machine(), keys, std::move(less),
                               std::move(projection), options);
}

/// Returns the sorting permutation of distributed keys: element i of the result is the global index
/// of the i-th key in sorted order. Stable: indices of equal keys ascend. The keys do not change.
///
/// ```cpp
/// const pleat::distributed<std::uint64_t> order = pleat::argsort(machine, distributed_keys);
/// ```
///
/// Requires, throws: as sort of distributed data; numbers are ordered as for argsort of an array.
/// Cost: that of sort of pairs of a key and an index, and two copies. Memory of each rank: the
/// pairs of its block, its block of the result, and that of sort.
template <class T, class Compare = std::ranges::less, class Projection = std::identity,
          detail::distribution::index_type Index = std::uint64_t>
requires(std::sortable<T*, Compare, Projection>&& std::copyable<T>)
    [[nodiscard]] distributed<Index> argsort(machine& on, const distributed<T>& keys,
                                             Compare less = {}, Projection projection = {}) {
  auto call = keys.collective(on, "argsort");
  call.only_meet();
  using pair = detail::sorting::key_and_value<T, Index>;
  distributed<pair> pairs(on, keys.size());
  pairs.fill(on, [&](std::size_t i) { return pair{keys.local()[keys.local_index(i)], i}; });
  auto key = [&projection](auto& one) -> decltype(auto) {
    return std::invoke(projection, one.key);
  };
  detail::distribution::sort_blocks(on, "argsort", pairs, less, key);
  distributed<Index> order(on, keys.size());
  order.fill(on, [&](std::size_t i) { return pairs.local()[pairs.local_index(i)].value; });
  return order;
}

}  // namespace pleat
