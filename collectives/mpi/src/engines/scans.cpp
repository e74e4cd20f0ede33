// SPDX-License-Identifier: Apache-2.0

#include "engines/engines.hpp"
#include "engines/in_flight.hpp"

namespace pleat::preloaded {

task scan_up_to(communicator& on, operation what, elements sum, std::size_t count, combining op) {
  const element_memory coming(count, *op.of);
  in_flight messages(on, what, 2);
  const std::uint32_t rank = on.rank();
  for (std::uint32_t skip = 1; skip < on.size(); skip *= 2) {
    if (rank >= skip) messages.receive(coming.get(), count, rank - skip);
    if (skip < on.size() - rank) messages.send(sum, count, rank + skip);
    co_await messages.all();
    if (rank >= skip) op(coming.get(), sum, count);
  }
}

task scan_before(communicator& on, operation what, elements own, elements before, std::size_t count,
                 combining op) {
  const element_memory coming(count, *op.of);
  const element_memory with_own(on.size() > 2 ? count : 0, *op.of);
  in_flight messages(on, what, 2);
  for (detail::exclusive_round round(on.rank(), on.size()); !round.is_past_last(); round.next()) {
    if (round.receives())
      messages.receive(round.is_first() ? before : coming.get(), count, round.from());
    if (round.sends()) {
      elements sent = round.sends_own() ? own : before;
      if (round.adds_own()) {
        sent = with_own.get();
        own.copy_to(count, sent, on);
        op(before, sent, count);
      }
      messages.send(sent, count, round.to());
    }
    co_await messages.all();
    if (round.receives() && !round.is_first()) op(coming.get(), before, count);
  }
}

}  // namespace pleat::preloaded
