// SPDX-License-Identifier: Apache-2.0
// The exclusive scan of ranks without common memory. In round k rank r gets a sum from rank r − s,
// which ends where its own begins:
//
//     round       0  1  2  3   4  …
//     s           1  2  3  6  12  …  3·2^(k − 2)
//     then known  1  3  6 12  24  …  inputs before rank r
//
// A rank sends its sum with its own input in round 1 and without it in all others, so that most
// rounds cost one use of the operator. Source: Jesper Larsson Träff, 2025, arXiv:2507.04785
// (123-doubling).
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

#include "received.hpp"

namespace pleat::detail {

task<> exclusive_prefix(endpoint& on, const std::byte* in, std::byte* sum, std::byte* room,
                        std::size_t bytes, combiner op, collective_traffic& traffic) {
  const std::uint32_t size = on.size(), rank = on.rank();
  std::uint32_t known = 0, skip = 1;
  for (unsigned round = 0; known < size - 1; ++round) {
    on.begin_round(traffic);
    const bool with_own = round < 2;  // later, rank 0 has nothing to send
    if (skip < size - rank && (with_own || rank != 0)) {
      const std::byte* sent = round == 0 || rank == 0 ? in : sum;
      if (round == 1 && rank != 0) {
        op(room, sum, in, bytes);
        sent = room;
        ++traffic.copies;
      }
      edge& to = on.to(rank + skip);
      co_await on.room(to);
      on.push(to, sent, bytes, copied_of(on, op));
    }
    if (rank >= skip + (with_own ? 0 : 1)) {
      edge& from = on.from(rank - skip);
      co_await on.value(from);
      // The sum that we have lent must have been sent before it changes.
      for (const edge* lent : on.lending()) co_await on.drained(*lent);
      on.all_drained();
      on.take(from, bytes, [&](const std::byte* theirs) {
        if (round == 0) return receive(sum, theirs, bytes, traffic);
        op(sum, on.aligned(theirs, bytes, op.alignment), sum, bytes);
        count_received(traffic, bytes);
      });
    }
    known += round == 0 ? 1 : skip;
    skip = round == 0 ? 2 : known;
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
