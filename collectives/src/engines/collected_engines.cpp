// SPDX-License-Identifier: Apache-2.0
// For many ranks: all memory is shared, so it is enough that one rank learns where everybody's is.
// A tree has p − 1 arcs, where the circulant graph has p·⌈log2 p⌉ and all to all p².
#include <algorithm>
#include <cstring>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "binomial_tree.hpp"
#include "outputs_apart.hpp"
#include "slices.hpp"

namespace pleat::detail {

namespace {

struct contribution : list_entry {
  buffers memory;
  const layout* sent = nullptr;  // of exchanges
};

void receive(std::byte* to, const std::byte* from, std::size_t bytes, collective_traffic& traffic) {
  if (bytes == 0) return;
  if (to != from) {
    std::memcpy(to, from, bytes);
    ++traffic.copies;
  }
  ++traffic.blocks;
  traffic.bytes += bytes;
}

/// Among how many ranks a result of so many bytes is divided: one, while it takes less time than to
/// tell the others.
std::size_t slices_of(std::size_t bytes, std::size_t ranks) {
  constexpr std::size_t for_one = 256 * 1024, least = 512;
  return bytes * ranks <= for_one ? 1 : std::clamp<std::size_t>(bytes / least, 1, ranks);
}

/// The slice of a rank, or none. Those that have one are spread over the ranks, whose neighbours
/// share workers.
piece slice_at(const endpoint& on, const block_split& slices) {
  const std::size_t rank = on.rank(), ranks = on.size();
  const std::size_t slice = (rank * slices.blocks + ranks - 1) / ranks;
  const bool mine = slice < slices.blocks && slice * ranks / slices.blocks == rank;
  return mine ? slices.at(slice) : piece{};
}

}  // namespace

task<> collected_combine(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                         std::byte* out, std::size_t bytes, layout parts, combiner op,
                         collective_traffic& traffic) {
  const std::size_t size = on.size();
  contribution mine{{on.rank()}, {in, out, bytes}};
  task<> gathered = gather_list(on, mine);
  co_await gathered;
  traffic.rounds += 2 * on.graph().rounds();
  std::vector<buffers> table;
  if (on.rank() == 0) {
    table.reserve(size);
    for (const list_entry* e = &mine; e != nullptr; e = e->next) {
      const buffers& theirs = static_cast<const contribution*>(e)->memory;
      if (theirs.bytes != bytes) on.mismatch(e->rank, theirs.bytes, bytes);
      if (what != ordered::reduce && what != ordered::reduce_scatter && e->rank != 0)
        check_outputs_apart(on, e->rank, theirs.out, e->rank - 1, table.back().out, bytes);
      table.push_back(theirs);
    }
  }
  const block_split slices{op.element, bytes / op.element, slices_of(bytes, size)};
  const void* told = &table;
  if (slices.blocks > 1) {
    task<> telling = broadcast_pointer(on, told);
    co_await telling;
    traffic.rounds += 2 * on.graph().rounds();
  }
  const piece p = slice_at(on, slices);
  if (p.bytes != 0) {
    const slice_of slice(*static_cast<const std::vector<buffers>*>(told), op,
                         on.scratch(2 * slice_of::chunk_size(op)));
    slice.compute(what, root, p, parts);
    traffic.blocks += size - 1;
    traffic.bytes += (size - 1) * p.bytes;
    traffic.copies += size;
  }
  if (slices.blocks > 1) {
    task<> done = gather_arrivals(on);
    co_await done;
  }
  task<> over = broadcast_pointer(on, told);  // all have their results
  co_await over;
}

task<> collected_all_gather(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            collective_traffic& traffic) {
  const std::size_t total = parts.total(on.size());
  contribution own{{on.rank()}, {mine, all, parts.part(on.rank()).bytes}};
  task<> gathered = gather_list(on, own);
  co_await gathered;
  traffic.rounds += 3 * on.graph().rounds();
  if (on.rank() == 0) {
    for (const list_entry* e = &own; e != nullptr; e = e->next) {
      const buffers& theirs = static_cast<const contribution*>(e)->memory;
      const piece p = parts.part(e->rank);
      if (theirs.bytes != p.bytes) on.mismatch(e->rank, theirs.bytes, p.bytes);
      receive(all + p.offset, theirs.in, p.bytes, traffic);
    }
  }
  const void* whole = all;
  task<> telling = broadcast_pointer(on, whole);
  co_await telling;
  if (on.rank() != 0) receive(all, static_cast<const std::byte*>(whole), total, traffic);
  task<> done = gather_arrivals(on);  // nobody reads what rank 0 has any more
  co_await done;
}

task<> collected_exchange(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                          layout received, collective_traffic& traffic) {
  const std::uint32_t size = on.size();
  contribution mine{{on.rank()}, {in, out, 0}, &sent};
  task<> gathered = gather_list(on, mine);
  co_await gathered;
  traffic.rounds += 4 * on.graph().rounds();
  std::vector<const contribution*> table;
  if (on.rank() == 0) {
    table.reserve(size);
    for (const list_entry* e = &mine; e != nullptr; e = e->next)
      table.push_back(static_cast<const contribution*>(e));
  }
  const void* told = &table;
  task<> telling = broadcast_pointer(on, told);
  co_await telling;
  const auto& all = *static_cast<const std::vector<const contribution*>*>(told);
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    const piece theirs = all[rank]->sent->part(on.rank()), ours = received.part(rank);
    if (theirs.bytes != ours.bytes) on.mismatch(rank, theirs.bytes, ours.bytes);
    receive(out + ours.offset, all[rank]->memory.in + theirs.offset, ours.bytes, traffic);
  }
  task<> done = gather_arrivals(on);
  co_await done;
  task<> over = broadcast_pointer(on, told);  // nobody reads what we have any more
  co_await over;
}

}  // namespace pleat::detail
