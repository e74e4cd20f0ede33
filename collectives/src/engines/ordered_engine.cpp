// SPDX-License-Identifier: Apache-2.0
// Reductions and scans in the order of the ranks. All memory is shared, so nobody needs partial
// sums: every rank takes a slice of the result and computes it, for all who want it, from all
// inputs, as a serial loop over the ranks would.
#include <cstring>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "outputs_apart.hpp"
#include "slices.hpp"

namespace pleat::detail {

namespace {

/// Returns when all ranks have called it: q rounds.
task<> meet(endpoint& on, collective_traffic& traffic) {
  for (unsigned k = 0; k < on.graph().rounds(); ++k) {
    edge& to = on.to(on.graph().to(on.rank(), k));
    edge& from = on.from(on.graph().from(on.rank(), k));
    co_await on.room(to);
    on.push(to, nullptr, 0);
    co_await on.value(from);
    on.take(from, 0, [](const std::byte*) {});
    ++traffic.rounds;
  }
}

}  // namespace

task<> ordered_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                       std::byte* out, std::size_t bytes, layout parts, combiner op,
                       collective_traffic& traffic) {
  const std::size_t size = on.size();
  const std::size_t chunks = 2 * slice_of::chunk_size(op);
  std::byte* const kept = on.scratch(chunks + size * sizeof(buffers));
  // The addresses first: everybody's, to everybody.
  std::byte* const addresses = kept + chunks;
  const buffers mine{in, out, bytes};
  std::memcpy(addresses + on.rank() * sizeof mine, &mine, sizeof mine);
  collective_traffic of_addresses;
  task<> sent = all_broadcast(on, addresses + on.rank() * sizeof mine, addresses,
                              {sizeof(buffers), 1}, 1, of_addresses);
  co_await sent;
  traffic.rounds += of_addresses.rounds;

  std::vector<buffers> all(size);
  std::memcpy(all.data(), addresses, size * sizeof(buffers));
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (all[rank].bytes != mine.bytes) on.mismatch(rank, all[rank].bytes, mine.bytes);
    if (what != ordered::reduce && what != ordered::reduce_scatter && rank != on.rank())
      check_outputs_apart(on, rank, all[rank].out, on.rank(), out, mine.bytes);
  }
  const slice_of slice(all, op, kept);
  const piece p = what == ordered::reduce_scatter
                      ? parts.part(on.rank())
                      : block_split{op.element, bytes / op.element, size}.at(on.rank());
  if (what == ordered::reduce_scatter)
    slice.sum_to(p, [&](std::size_t at) { return out + (at - p.offset); });
  else
    slice.compute(what, root, p, parts);
  if (p.bytes != 0) {
    traffic.blocks += size - 1;
    traffic.bytes += (size - 1) * p.bytes;
    traffic.copies += size;
  }
  task<> met = meet(on, traffic);  // nobody uses our memory any more
  co_await met;
}

}  // namespace pleat::detail
