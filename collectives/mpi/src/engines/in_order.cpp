// SPDX-License-Identifier: Apache-2.0
// Scans, and reductions of operators that do not commute: in the order of ranks.
#include <memory>
#include <utility>
#include <vector>

#include "data/typed_parts.hpp"
#include "engines/engines.hpp"
#include "engines/in_flight.hpp"
#include "schedule_engines/exclusive_round.hpp"

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

task reduce_parts_in_order(communicator& on, operation what, elements in, elements own,
                           std::span<const std::size_t> counts, combining op, std::size_t radix) {
  const typed_parts out(in, counts);
  out.pack(on);
  std::vector<std::size_t> sizes;
  for (const part& one : out.get()) sizes.push_back(one.bytes);
  const std::size_t bytes = sizes[on.rank()];
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(on.size() * bytes);
  std::vector<part> coming;
  for (std::size_t r = 0; r < on.size(); ++r) coming.push_back({memory.get() + r * bytes, bytes});
  const task exchanged = exchange(on, what, out.get(), coming, sizes, radix);
  co_await exchanged;

  const std::size_t mine = counts[on.rank()];
  const element_memory first(mine, *op.of);
  const element_memory second(mine, *op.of);
  elements sum = first.get();
  elements next = second.get();
  for (const part& one : coming) {
    next.unpack(mine, one.data, on);
    if (&one != &coming.front()) op(sum, next, mine);
    std::swap(sum, next);
  }
  sum.copy_to(mine, own, on);
}

}  // namespace pleat::preloaded
