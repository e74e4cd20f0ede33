// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"
#include "in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Begins to send elements to the rank `skip` after this one and to receive them from the rank
/// `skip` before, among the ranks from `first` on. Tells whether some come. Requires: `messages`
/// has none, and room for both.
bool shift(in_flight& messages, const communicator& on, std::uint32_t first, std::uint64_t skip,
           elements sent, elements coming, std::size_t count) {
  const std::uint32_t rank = on.rank();
  const bool receiving = rank >= first + skip;
  if (receiving) messages.receive(coming, count, rank - static_cast<std::uint32_t>(skip));
  if (rank >= first && rank + skip < on.size())
    messages.send(sent, count, rank + static_cast<std::uint32_t>(skip));
  return receiving;
}

}  // namespace

task scan_up_to(communicator& on, operation what, elements sum, std::size_t count, combining op) {
  const element_memory coming(count, *op.of);
  in_flight messages(on, what, 2);
  for (std::uint64_t skip = 1; skip < on.size(); skip *= 2) {
    const bool receiving = shift(messages, on, 0, skip, sum, coming.get(), count);
    co_await messages.all();
    if (receiving) op(coming.get(), sum, count);
  }
}

task scan_before(communicator& on, operation what, elements own, elements before, std::size_t count,
                 combining op) {
  const element_memory coming(count, *op.of);
  // Messages of the second round, with the sender's own elements, make sums of three ranks.
  const element_memory with_own(on.size() > 2 ? count : 0, *op.of);
  in_flight messages(on, what, 2);
  shift(messages, on, 0, 1, own, before, count);
  co_await messages.all();
  if (on.size() > 2) {
    own.copy_to(count, with_own.get(), on);
    if (on.rank() > 0) op(before, with_own.get(), count);
    const bool receiving = shift(messages, on, 0, 2, with_own.get(), coming.get(), count);
    co_await messages.all();
    if (receiving) op(coming.get(), before, count);
  }
  // Rank 0 has no elements before it, so nothing to send.
  for (std::uint64_t skip = 3; skip + 1 < on.size(); skip *= 2) {
    const bool receiving = shift(messages, on, 1, skip, before, coming.get(), count);
    co_await messages.all();
    if (receiving) op(coming.get(), before, count);
  }
}

}  // namespace pleat::preloaded
