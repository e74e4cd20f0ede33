// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/stable_partition.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail::everyday {

template <divisible_range R, class Is, class Projection>
std::ranges::borrowed_subrange_t<R> partition(executor&& where, R&& range, Is& is,
                                              Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  const std::size_t n = everyday::size_of(range);
  const auto first = everyday::changeable_begin_of(range);
  const std::size_t chosen = everyday::partition_stably<others::follow>(
      "partition", where, detail::options_in(given, options), first, n,
      everyday::of_places(first, is, projection));
  return everyday::behind(std::forward<R>(range), chosen);
}

template <class Is, class R, class Projection>
concept divides =
    std::permutable<std::ranges::iterator_t<R>> && tells<Is, R, projection_type<Projection>>;

}  // namespace detail::everyday

/// Moves the elements x for which is(projection(x)) is true before all others; returns the range of
/// the others. Both parts keep their order.
///
/// ```cpp
/// const auto odd = pleat::partition(machine, keys, [](auto key) { return key % 2 == 0; });
/// ```
///
/// Requires: values whose moves do not throw. The contract of all everyday algorithms:
/// range_options.hpp.
/// Cost: n calls; each element is moved twice; two 0-supersteps. Memory of the machine: n further
/// values and n bits.
/// Throws: what `is` and the projection throw (the elements are then unchanged); std::bad_alloc.
template <divisible_range R, class Is, class Projection = range_options>
requires detail::everyday::divides<Is, R, Projection> std::ranges::borrowed_subrange_t<R> partition(
    machine& on, R&& range, Is is, Projection projection = {}, const range_options& options = {}) {
  return detail::everyday::partition({on}, std::forward<R>(range), is, projection, options);
}
template <divisible_range R, class Is, class Projection = range_options>
requires detail::everyday::divides<Is, R, Projection> std::ranges::borrowed_subrange_t<R> partition(
    R&& range, Is is, Projection projection = {}, const range_options& options = {}) {
  return detail::everyday::partition({}, std::forward<R>(range), is, projection, options);
}

/// Moves the elements x for which is(projection(x)) is true before all others, and returns their
/// number, which is the index of the first of the others. Both parts keep their order.
///
/// ```cpp
/// const std::size_t odd = pleat::partition(machine, distributed_keys,
///                                          [](int key) { return key % 2 == 0; });
/// ```
///
/// Collective, see distributed. Cost: as partition of a block; each element travels at most once;
/// three 0-supersteps. Memory of each rank: twice the size of its block, and the sent and received
/// elements.
/// Throws: what `is` and the projection throw on any rank (the elements are then unchanged);
/// std::bad_alloc; usage_error (see distributed).
template <class T, class Is, class Projection = std::identity>
requires(std::copyable<T>&& std::indirect_unary_predicate<Is, std::projected<T*, Projection>>)
    std::size_t partition(machine& on, distributed<T>& data, Is is, Projection projection = {}) {
  namespace over = detail::distribution;
  auto call = data.collective(on, "partition");
  const std::span<T> block = data.local();
  if (call.alone())
    return call.own([&] {
      return block.size() - pleat::partition(on, block, std::ref(is), projection).size();
    });
  if constexpr (byte_copyable<T>) {
    const auto chosen = detail::everyday::of_places(block.data(), is, projection);
    detail::everyday::stable_partition<detail::everyday::others::follow, T*, decltype(chosen)> all(
        block.data(), chosen);
    over::new_block<T> made(on, block);
    call.here([&] {
      made.make(1, [&](detail::arena& in) { all.lay_out(in, block.size(), call.vps()); });
    });
    const auto put = [&](std::size_t place, const T* values, std::size_t n) {
      std::uninitialized_copy_n(values, n, made.data() + data.local_index(place));
    };
    call.run([&](vp& me, const over::rank_places& places) -> task<> {
      const over::vp_parts parts(data.size(), places);
      co_await all.program(me, parts, put);
    });
    made.put();
    return all.count();
  } else {
    return 0;  // unreachable: such data cannot be on several ranks
  }
}

}  // namespace pleat
