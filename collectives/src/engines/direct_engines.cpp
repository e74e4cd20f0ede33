// SPDX-License-Identifier: Apache-2.0
// Engines from the source to the destination: one copy of every byte.
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

#include "farthest_first.hpp"
#include "received.hpp"

namespace pleat::detail {

task<> copy_together(endpoint& on, bool source, std::byte* data, std::size_t bytes,
                     collective_traffic& traffic) {
  const std::uint32_t other = 1 - on.rank();
  edge& to = on.to(other);
  edge& from = on.from(other);
  // The source's half begins at a line of the destination's memory, whose lines have one writer.
  const std::size_t half = bytes / 2 / cache_line * cache_line;
  co_await on.room(to);
  on.push_lent(to, data, bytes);
  co_await on.value(from);
  on.take(from, bytes, [&](const std::byte* theirs) {
    if (source)
      std::memcpy(const_cast<std::byte*>(theirs) + half, data + half, bytes - half);
    else
      std::memcpy(data, theirs, half);
  });
  ++traffic.rounds;
  ++traffic.copies;
  if (!source) {
    ++traffic.blocks;
    traffic.bytes += bytes;
  }
  co_await on.drained(to);  // the other has done its half
  on.all_drained();
}

task<> swap_parts(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                  collective_traffic& traffic) {
  const std::uint32_t other = 1 - on.rank();
  const piece own = parts.part(on.rank()), theirs = parts.part(other);
  on.begin_round(traffic);
  if (own.bytes != 0) {
    edge& to = on.to(other);
    co_await on.room(to);
    on.push(to, mine, own.bytes);
  }
  copy(all + own.offset, mine, own.bytes, traffic);  // while it travels
  if (theirs.bytes != 0) {
    edge& from = on.from(other);
    co_await on.value(from);
    on.take(from, theirs.bytes, [&](const std::byte* part) {
      receive(all + theirs.offset, part, theirs.bytes, traffic);
    });
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> exchange_parts(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                      layout received, collective_traffic& traffic) {
  const std::uint32_t size = on.size(), rank = on.rank();
  const piece mine = sent.part(rank), own = received.part(rank);
  const auto keep_own = [&] { copy(out + own.offset, in + mine.offset, own.bytes, traffic); };
  if (size == 1) keep_own();
  for (std::uint32_t offset = 1; offset < size; ++offset) {
    on.begin_round(traffic);
    const std::uint32_t to_rank = (rank + offset) % size;
    const std::uint32_t from_rank = (rank + (size - offset)) % size;
    const piece outgoing = sent.part(to_rank), incoming = received.part(from_rank);
    if (outgoing.bytes != 0) {
      edge& to = on.to(to_rank);
      co_await on.room(to);
      on.push(to, in + outgoing.offset, outgoing.bytes);
    }
    if (offset == 1) keep_own();  // while the first one travels
    if (incoming.bytes == 0) continue;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    on.take(from, incoming.bytes, [&](const std::byte* theirs) {
      receive(out + incoming.offset, theirs, incoming.bytes, traffic);
    });
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> combine_directly(endpoint& on, const std::byte* in, std::byte* out, std::size_t bytes,
                        combiner op, collective_traffic& traffic) {
  const std::uint32_t size = on.size(), rank = on.rank();
  traffic.rounds += size - 1;
  for (std::uint32_t offset = 1; offset < size; ++offset) {
    edge& to = on.to((rank + offset) % size);
    co_await on.room(to);
    on.push(to, in, bytes, copied_of(on, op));
  }
  const std::byte* sum = nullptr;  // of the ranks so far; what is ours alone is not copied
  bool ours_added = false;
  const auto add = [&](const std::byte* next) {
    if (sum != nullptr) op(out, sum, next, bytes);
    if (sum == nullptr && next != in) std::memcpy(out, next, bytes);
    sum = sum == nullptr && next == in ? in : out;
    ++traffic.copies;
  };
  for (std::uint32_t from_rank = 0; from_rank < size; ++from_rank) {
    if (from_rank == rank) {
      if (!ours_added) add(in);
      continue;
    }
    edge& from = on.from(from_rank);
    co_await on.value(from);
    on.take(from, bytes, [&](const std::byte* sent) {
      const std::byte* const theirs = on.aligned(sent, bytes, op.alignment);
      if (sum != nullptr || from_rank + 1 != rank) return add(theirs);
      op(out, theirs, in, bytes);  // the first two, both from where they are
      sum = out;
      ours_added = true;
      ++traffic.copies;
    });
  }
  traffic.blocks += size - 1;
  traffic.bytes += (size - 1) * bytes;
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> scatter_parts(endpoint& on, std::uint32_t root, const std::byte* all, layout parts,
                     std::byte* mine, collective_traffic& traffic) {
  const piece own = parts.part(on.rank());
  if (on.size() > 1) on.begin_round();  // no message waits for another one
  if (on.rank() != root) {
    ++traffic.rounds;
    if (own.bytes == 0) co_return;
    edge& from = on.from(root);
    co_await on.value(from);
    on.take(from, own.bytes,
            [&](const std::byte* theirs) { receive(mine, theirs, own.bytes, traffic); });
    co_return;
  }
  traffic.rounds += on.size() - 1;
  for (farthest_first other(on.size(), root); other; other.next()) {
    const std::uint32_t rank = other.rank();
    const piece p = parts.part(rank);
    if (p.bytes == 0) continue;
    edge& to = on.to(rank);
    co_await on.room(to);
    on.push(to, all + p.offset, p.bytes);
  }
  copy(mine, all + own.offset, own.bytes, traffic);
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> gather_parts(endpoint& on, std::uint32_t root, const std::byte* mine, std::byte* all,
                    layout parts, collective_traffic& traffic) {
  const piece own = parts.part(on.rank());
  if (on.size() > 1) on.begin_round();  // no message waits for another one
  if (on.rank() != root) {
    ++traffic.rounds;
    if (own.bytes == 0) co_return;
    if (own.bytes <= on.copied() || on.remote(root)) {
      edge& to = on.to(root);
      co_await on.room(to);
      on.push(to, mine, own.bytes);
      for (const edge* lent : on.lending()) co_await on.drained(*lent);
      on.all_drained();
      co_return;
    }
    // The root lends us the place where it goes: all copy at the same time.
    edge& from = on.from(root);
    co_await on.value(from);
    on.take(from, own.bytes, [&](const std::byte* place) {
      copy(const_cast<std::byte*>(place), mine, own.bytes, traffic);
    });
    co_return;
  }
  traffic.rounds += on.size() - 1;
  for (farthest_first other(on.size(), root); other; other.next()) {
    const std::uint32_t rank = other.rank();
    const piece p = parts.part(rank);
    if (p.bytes <= on.copied() || on.remote(rank)) continue;
    edge& to = on.to(rank);
    co_await on.room(to);
    on.push_lent(to, all + p.offset, p.bytes);
    ++traffic.blocks;
    traffic.bytes += p.bytes;
  }
  copy(all + own.offset, mine, own.bytes, traffic);
  for (farthest_first other(on.size(), root); other; other.next()) {
    const std::uint32_t rank = other.rank();
    const piece p = parts.part(rank);
    if (p.bytes == 0 || (p.bytes > on.copied() && !on.remote(rank))) continue;
    edge& from = on.from(rank);
    co_await on.value(from);
    on.take(from, p.bytes,
            [&](const std::byte* theirs) { receive(all + p.offset, theirs, p.bytes, traffic); });
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
