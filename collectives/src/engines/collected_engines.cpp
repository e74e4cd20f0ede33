// SPDX-License-Identifier: Apache-2.0
// Engines for ranks that share workers, and for many ranks: memory is shared, so ranks exchange
// addresses at a rendezvous, copy, and pass a barrier when none is read any more. A rendezvous has
// a line for each worker, where the circulant graph has p·⌈log2 p⌉ rings and all to all p².
#include <algorithm>
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

#include "outputs_apart.hpp"
#include "received.hpp"
#include "rendezvous.hpp"
#include "slices.hpp"

namespace pleat::detail {

namespace {

/// A rank's slice of `bytes` that are divided among the ranks in whole units, the last of which may
/// be shorter; none of the slices is tiny. Those that have one are spread over the ranks, whose
/// neighbours share workers.
piece slice_for(const endpoint& on, std::size_t unit, std::size_t bytes) {
  constexpr std::size_t least = 512;
  const std::size_t rank = on.rank(), ranks = on.size();
  const block_split slices{unit, (bytes + unit - 1) / unit,
                           std::clamp<std::size_t>(bytes / least, 1, ranks)};
  const std::size_t slice = (rank * slices.blocks + ranks - 1) / ranks;
  if (slice >= slices.blocks || slice * ranks / slices.blocks != rank) return {};
  const piece p = slices.at(slice);
  return {p.offset, std::min(p.bytes, bytes - p.offset)};
}

/// Copies from one place to many, a piece that stays in the nearest cache at a time.
void copy_to_all(const std::byte* from, piece slice, std::span<const buffers> to) {
  for (std::size_t done = 0; done < slice.bytes; done += chunk_bytes) {
    const std::size_t at = slice.offset + done, run = std::min(chunk_bytes, slice.bytes - done);
    for (const buffers& one : to) {
      if (one.out != from) std::memcpy(one.out + at, from + at, run);
    }
  }
}

/// `p` of what all are to get. What is being added up lies on the stack if it fits: to take memory
/// for each rank of each run costs more than many of them have to add.
void combine_slice(endpoint& on, std::span<const buffers> all, const combiner& op, ordered what,
                   std::uint32_t root, piece p, const layout& parts) {
  const std::size_t needed = 2 * slice_of::chunk_size(op);
  alignas(cache_line) std::byte chunks[2 * chunk_bytes];
  const bool fits = needed <= sizeof chunks && op.alignment <= cache_line;
  const slice_of slice(all, op, fits ? chunks : on.scratch(needed));
  slice.compute(what, root, p, parts);
}

/// Number of rounds in which ranks that only send messages would pass two barriers.
std::uint64_t rounds_of(const endpoint& on) noexcept { return 2 * on.graph().rounds(); }

}  // namespace

task<> collected_broadcast(endpoint& on, std::uint32_t root, std::byte* data, std::size_t bytes,
                           collective_traffic& traffic) {
  rendezvous& here = on.shared_rendezvous();
  here.publish(on.rank(), {{data, data, bytes}, nullptr});
  co_await meet(on, bytes);
  traffic.rounds += rounds_of(on);
  const std::byte* const from = here.memory()[root].in;
  // Large data: every rank copies one slice to all others, since the root's worker would have less
  // to do than others if each rank copied to its own memory. Small data: each rank does that, and
  // has the result in its cache.
  constexpr std::size_t small = 64 * 1024;
  if (bytes > small) copy_to_all(from, slice_for(on, cache_line, bytes), here.memory());
  if (on.rank() != root) {
    if (bytes > small)
      ++traffic.copies, ++traffic.blocks, traffic.bytes += bytes;
    else
      receive(data, from, bytes, traffic);
  }
  co_await meet(on, bytes);
}

task<> collected_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                         std::byte* out, std::size_t bytes, layout parts, combiner op,
                         collective_traffic& traffic) {
  rendezvous& here = on.shared_rendezvous();
  here.publish(on.rank(), {{in, out, bytes}, nullptr});
  co_await meet(on, bytes);
  traffic.rounds += rounds_of(on);
  if (what != ordered::reduce && what != ordered::reduce_scatter && on.rank() != 0)
    check_outputs_apart(on, on.rank() - 1, here.memory()[on.rank() - 1].out, on.rank(), out, bytes);
  const piece p = slice_for(on, op.element, bytes);
  if (p.bytes != 0) {
    combine_slice(on, here.memory(), op, what, root, p, parts);
    traffic.blocks += on.size() - 1;
    traffic.bytes += (on.size() - 1) * p.bytes;
    traffic.copies += on.size();
  }
  co_await meet(on, bytes);
}

task<> collected_all_gather(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            collective_traffic& traffic) {
  const std::size_t total = parts.total(on.size());
  rendezvous& here = on.shared_rendezvous();
  here.publish(on.rank(), {{mine, all, parts.part(on.rank()).bytes}, nullptr});
  co_await meet(on, total);
  traffic.rounds += rounds_of(on);
  for (std::uint32_t rank = 0; rank < on.size(); ++rank) {
    const piece p = parts.part(rank);
    receive(all + p.offset, here.memory()[rank].in, p.bytes, traffic);
  }
  co_await meet(on, total);
}

task<> collected_exchange(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                          layout received, collective_traffic& traffic) {
  // Where all parts are equal, so are all ranks' buffers.
  const std::size_t common = sent.ends.empty() ? sent.total(on.size()) : 0;
  rendezvous& here = on.shared_rendezvous();
  here.publish(on.rank(), {{in, out, 0}, &sent});
  co_await meet(on, common);
  traffic.rounds += rounds_of(on);
  for (std::uint32_t rank = 0; rank < on.size(); ++rank) {
    const piece theirs = here.sent()[rank]->part(on.rank()), ours = received.part(rank);
    if (theirs.bytes != ours.bytes) on.mismatch(rank, theirs.bytes, ours.bytes);
    receive(out + ours.offset, here.memory()[rank].in + theirs.offset, ours.bytes, traffic);
  }
  co_await meet(on, common);
}

}  // namespace pleat::detail
