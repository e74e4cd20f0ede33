// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/new_block.hpp>
#include <pleat/oblivious/detail/distributed/selection_program.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Puts that element at index k, from 0 on, that would be there if all were sorted by
/// less(projection(a), projection(b)); none before it is greater, none behind it is less.
///
/// ```cpp
/// pleat::nth_element(machine, distributed_samples, n / 2);
/// const double median = distributed_samples.gather(machine, {n / 2})[0];
/// ```
///
/// Requires: `less` and `projection` give the same answers on all ranks. Collective, see
/// distributed. Guarantees: the order of the elements is that of nth_element of one array, for any
/// number of ranks and workers.
///
/// Cost, of each VP (P of them): about 2n/P comparisons; in each of a few rounds four supersteps,
/// in which VP 0 gets some of 2√n elements, and one message from each VP, and sends as many; n/P
/// elements sent and received in one superstep. VP 0 selects from the last 2^15 elements. Memory of
/// each rank besides the block: as many elements twice, a byte for each, and what is sent and
/// arrives. Nothing is done if k is the number of elements.
///
/// Throws, on all ranks: what `less` and the projection throw, std::bad_alloc; the blocks are then
/// as they were, on several ranks; usage_error if k is greater, or not the same on all. By an order
/// that contradicts itself the elements end up in some order. Source: as nth_element of an array.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<T*, Compare, Projection>
void nth_element(machine& on, distributed<T>& data, std::size_t k, Compare less = {},
                 Projection projection = {}) {
  detail::distribution::collective_call call = data.collective(on, "nth_element");
  const std::size_t n = data.size();
  call.check([&] { detail::everyday::require_element(n, k); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::nth_element(on, data.local(), k, std::move(less), std::move(projection));
    return;
  }
  if constexpr (byte_copyable<T>) {
    detail::distribution::new_block<T> made(on, data.local());
    if (k < n) call.here([&] { made.make(2); });
    const std::span<const T> block = data.local();
    auto&& order = detail::sorting::order_by<detail::everyday::shown_value<T*, Projection>>(less);
    detail::distribution::selection_program program(n, k, data.rank(), block, order, projection,
                                                    made.data(1), made.data());
    const detail::distribution::agreed_words words{k};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, data.rank(), words, "nth_element: indices");
      if (k < n) co_await program(me, places);
    });
    if (k < n) made.put();
  }
}

}  // namespace pleat
