// SPDX-License-Identifier: Apache-2.0
// The exclusive scan of ranks without common memory.
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/exclusive_round.hpp>

#include "received.hpp"

namespace pleat::detail {

task<> exclusive_prefix(endpoint& on, const std::byte* in, std::byte* sum, std::byte* room,
                        std::size_t bytes, combiner op, collective_traffic& traffic) {
  for (exclusive_round round(on.rank(), on.size()); !round.is_past_last(); round.next()) {
    on.begin_round(traffic);
    if (round.sends()) {
      const std::byte* sent = round.sends_own() ? in : sum;
      if (round.adds_own()) {
        op(room, sum, in, bytes);
        sent = room;
        ++traffic.copies;
      }
      edge& to = on.to(round.to());
      co_await on.room(to);
      on.push(to, sent, bytes, copied_of(on, op));
    }
    if (round.receives()) {
      edge& from = on.from(round.from());
      co_await on.value(from);
      // The sum that we have lent must have been sent before it changes.
      for (const edge* lent : on.lending()) co_await on.drained(*lent);
      on.all_drained();
      on.take(from, bytes, [&](const std::byte* theirs) {
        if (round.is_first()) return receive(sum, theirs, bytes, traffic);
        op(sum, on.aligned(theirs, bytes, op.alignment), sum, bytes);
        count_received(traffic, bytes);
      });
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
