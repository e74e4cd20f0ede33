// SPDX-License-Identifier: Apache-2.0
// Engines from the source to the destination: one copy of every byte.

#include <pleat/collectives/detail/engines.hpp>

#include "farthest_first.hpp"
#include "received.hpp"

namespace pleat::detail {

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
  while (on.is_lending()) co_await on.returned();
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
      while (on.is_lending()) co_await on.returned();
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
  while (on.is_lending()) co_await on.returned();
}

}  // namespace pleat::detail
