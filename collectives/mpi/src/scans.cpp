// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"
#include "in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Sends elements to the rank `skip` after this one and receives them from the rank `skip` before,
/// among the ranks from `first` on. Tells whether some came. Afterwards both may be changed.
bool shift(const communicator& on, operation what, std::uint32_t first, std::uint64_t skip,
           elements sent, elements coming, std::size_t count) {
  in_flight receives(on, what, 1);
  in_flight sends(on, what, 1);
  const std::uint32_t rank = on.rank();
  const bool receiving = rank >= first + skip;
  if (receiving) receives.receive(coming, count, rank - static_cast<std::uint32_t>(skip));
  if (rank >= first && rank + skip < on.size())
    sends.send(sent, count, rank + static_cast<std::uint32_t>(skip));
  receives.wait_all();
  sends.wait_all();
  return receiving;
}

}  // namespace

void scan_up_to(communicator& on, operation what, elements sum, std::size_t count, combining op) {
  const element_memory coming(count, *op.of);
  for (std::uint64_t skip = 1; skip < on.size(); skip *= 2) {
    if (shift(on, what, 0, skip, sum, coming.get(), count)) op(coming.get(), sum, count);
  }
}

void scan_before(communicator& on, operation what, elements own, elements before, std::size_t count,
                 combining op) {
  const element_memory coming(count, *op.of);
  shift(on, what, 0, 1, own, before, count);
  if (on.size() > 2) {  // messages with the sender's own elements make sums of three ranks
    const element_memory with_own(count, *op.of);
    own.copy_to(count, with_own.get(), on);
    if (on.rank() > 0) op(before, with_own.get(), count);
    if (shift(on, what, 0, 2, with_own.get(), coming.get(), count)) op(coming.get(), before, count);
  }
  // Rank 0 has no elements before it, so nothing to send.
  for (std::uint64_t skip = 3; skip + 1 < on.size(); skip *= 2) {
    if (shift(on, what, 1, skip, before, coming.get(), count)) op(coming.get(), before, count);
  }
}

}  // namespace pleat::preloaded
