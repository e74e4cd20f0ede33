// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/chain_merge.hpp>
#include <pleat/oblivious/detail/distributed/merge_program.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Merges two sorted distributed arrays into a third, `out`; returns how many elements were
/// written, those of both. Of equal elements those of `a` come first. The result is that of merge
/// of arrays.
///
/// ```cpp
/// pleat::merge(machine, distributed_keys, distributed_more, distributed_all);
/// pleat::merge(machine, distributed_a, distributed_b, distributed_c, {}, &person::name);
/// ```
///
/// Requires: a and b in the order of less(projection(x), projection(y)), a strict weak order, the
/// same on all ranks; `out` is neither of them and has as many elements as both, at least. If it
/// has more, those behind the result stay as they are. Collective, see distributed.
///
/// Cost, of each VP (P of them on R ranks, n elements in all): O(log n) supersteps, in each of
/// which it gets up to 32 KiB of samples from each rank; one superstep of n/P elements sent and
/// received; n/P comparisons. Memory of each rank besides the blocks: its share of a and b as it is
/// sent, and the result's as it arrives.
///
/// Throws, on all ranks: what `less`, the projection and copies throw, `out` then has some elements
/// of both; usage_error (an output that is too short, or one of the inputs). If the inputs are in
/// no order, or `less` is none, `out` holds the elements of both in some order.
///
/// Source: as sort of distributed data.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::mergeable<const T*, const T*, T*, Compare, Projection, Projection> std::size_t merge(
    machine& on, const distributed<T>& a, const distributed<T>& b, distributed<T>& out,
    Compare less = {}, Projection projection = {}) {
  detail::distribution::collective_call call = a.collective(on, "merge");
  const std::size_t n = a.size() + b.size();
  call.check([&] {
    detail::everyday::require_places("merge", n, out.size());
    if (&out == &a || &out == &b)
      throw usage_error("merge: the output is one of the inputs; give it its own elements");
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::merge(on, a.local(), b.local(), out.local(), std::move(less), std::move(projection));
    return n;
  }
  if constexpr (byte_copyable<T>) {
    namespace everyday = detail::everyday;
    auto&& order = detail::sorting::order_by<everyday::shown_value<const T*, Projection>>(less);
    const auto before = [&](const T& x, const T& y) {
      return static_cast<bool>(
          std::invoke(order, std::invoke(projection, x), std::invoke(projection, y)));
    };
    using merging = detail::distribution::chain_merge<T, decltype(before)>;
    const merging merge_pieces(before);
    detail::distribution::merge_program<T, merging> program(
        {{{a.size(), a.local()}, {b.size(), b.local()}}}, out.size(), a.rank(), merge_pieces,
        out.local().data());
    const detail::distribution::agreed_words words{b.size(), out.size()};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, a.rank(), words, "merge: sizes");
      co_await program(me, places);
    });
  }
  return n;
}

}  // namespace pleat
