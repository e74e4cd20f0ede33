// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"
#include "in_flight.hpp"

namespace pleat::preloaded {

// Sums grow towards the front: after a round with skip s, `before` covers the s · 2 ranks before
// this one, or 3 after the second round, whose message includes the sender's own elements.
void scan_before(communicator& on, operation what, elements own, elements before, std::size_t count,
                 combining op) {
  const std::uint32_t rank = on.rank();
  const element_memory coming(count, *op.of);
  const element_memory with_own(count, *op.of);
  in_flight<1> receives(on, what);
  in_flight<1> sends(on, what);
  std::uint64_t skip = 1;
  for (unsigned round = 0; skip < on.size() - (round < 2 ? 0 : 1); ++round) {
    const std::uint32_t first = round < 2 ? 0 : 1;  // the sums of rank 0 end with its own elements
    const bool receiving = rank >= skip + first;
    if (receiving) {
      receives.receive(round == 0 ? before : coming.get(), count,
                       rank - static_cast<std::uint32_t>(skip));
    }
    if (rank >= first && rank + skip < on.size()) {
      elements sent = round < 2 ? own : before;
      if (round == 1 && rank > 0) {
        own.copy_to(count, with_own.get(), on);
        op(before, with_own.get(), count);
        sent = with_own.get();
      }
      sends.send(sent, count, rank + static_cast<std::uint32_t>(skip));
    }
    receives.wait_all();
    sends.wait_all();  // before what it sends is changed
    if (receiving && round > 0) op(coming.get(), before, count);
    skip = round == 0 ? 2 : round == 1 ? 3 : 2 * skip;
  }
}

}  // namespace pleat::preloaded
