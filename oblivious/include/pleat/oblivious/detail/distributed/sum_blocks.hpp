// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/oblivious/detail/everyday/pairwise.hpp>
#include <pleat/oblivious/detail/everyday/results.hpp>
#include <pleat/oblivious/detail/everyday/running.hpp>
#include <pleat/oblivious/detail/everyday/total.hpp>
#include <pleat/oblivious/detail/shares/groups_over_ranks.hpp>
#include <pleat/oblivious/detail/shares/held_elements.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Sums and scans of what the ranks hold, by the programs of an array.
namespace pleat::detail::distribution {

/// init ∘ get(0) ∘ … ∘ get(n − 1), on all ranks, where each can get the elements that it holds. For
/// `cheap` see grouping.
template <class T, class Op, class Get>
[[nodiscard]] T sum_blocks(collective_call& call, std::size_t n, bool cheap, const T& init, Op& op,
                           const Get& get) {
  const everyday::grouping groups(n, cheap);
  everyday::pairwise<T, Op> all(op);
  std::vector<std::optional<everyday::pairwise<T, Op>>> parts(call.vps());
  std::optional<T> total;
  call.run([&](vp& me, const rank_places& places) -> task<> {
    const everyday::groups_over_ranks<true> held(groups, call.rank(), places);
    const everyday::group_combiner<T, Op> combine{op};
    co_await everyday::total_program<T>(me, held, op, get, combine, all, parts);
    if (me.rank() == 0) {
      const T sum = all.finish(init);
      for (const rank_range& rank : places) me.send(rank.first, sum);
    }
    co_await me.sync(0);
    if (held.place(me) == 0) total.emplace(me.receive()->template get<T>());
  });
  return *total;
}

/// A scan on several ranks.
template <class T, class E, class O, class Op>
void scan_blocks(collective_call& call, const distributed<E>& in, distributed<O>& out, Op& op,
                 bool exclusive, std::optional<T> init) {
  if constexpr (byte_copyable<E> && byte_copyable<O> && byte_copyable<T>) {
    using everyday::groups_over_ranks, everyday::grouping, everyday::held_elements;
    using results = everyday::results<O*>;
    constexpr bool any_groups = everyday::exact<T, Op>;
    const grouping groups = any_groups ? grouping::of_single(in.size())
                                       : grouping(in.size(), everyday::in_lanes<T, Op>);
    const held_elements<E> get(in);
    const std::span<O> to = out.local();
    const results made(to.data(), to.size(), everyday::same_place(get.block, to.data()), get.first);
    everyday::running_totals<T, Op, held_elements<E>, results> all(groups, op, get, made, exclusive,
                                                                   init);
    std::vector<std::vector<everyday::group_total<T>>> totals(2 * call.vps());
    call.run([&](vp& me, const rank_places& places) -> task<> {
      const groups_over_ranks<!everyday::exact<T, Op>> held(groups, call.rank(), places);
      co_await all.program(me, held, totals);
    });
  }  // else there are no such data on several ranks
}

}  // namespace pleat::detail::distribution
