// SPDX-License-Identifier: Apache-2.0
// The concatenation algorithm: all_gather through several ports at once.
#include <algorithm>
#include <cstring>
#include <vector>

#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/detail/engines.hpp>

namespace pleat::detail {

namespace {

/// The transfers of a round that go to one rank, as one: they are neighbours in the table, and a
/// channel holds only so many.
std::vector<concatenation_transfer> one_for_each_rank(const concatenation_schedule::round& round) {
  std::vector<concatenation_transfer> merged;
  for (const concatenation_transfer& transfer : round) {
    if (!merged.empty() && merged.back().offset == transfer.offset)
      merged.back().size += transfer.size;
    else
      merged.push_back(transfer);
  }
  return merged;
}

/// Entries first … first + size − 1 of a table that goes on from its end with its beginning.
template <class Use>
void for_runs(std::size_t first, std::size_t size, std::size_t entries, const Use& use) {
  while (size != 0) {
    const std::size_t run = std::min(size, entries - first);
    use(first, run);
    size -= run;
    first = 0;
  }
}

}  // namespace

task<> concatenate(endpoint& on, std::byte* all, std::size_t element, std::size_t count,
                   unsigned ports, collective_traffic& traffic) {
  const std::size_t size = on.size(), rank = on.rank();
  const std::size_t entries = size * count;  // of the table, of which ours begins with our block
  // More ports than there are others would only cut messages into pieces.
  const concatenation_schedule schedule(size, count, std::clamp<std::size_t>(size - 1, 1, ports));
  traffic.rounds += schedule.rounds().size();
  for (const concatenation_schedule::round& parts : schedule.rounds()) {
    const std::vector<concatenation_transfer> round = one_for_each_rank(parts);
    for (const concatenation_transfer& transfer : round) {
      const std::size_t to_rank = (rank + size - transfer.offset) % size;
      edge& to = on.to(static_cast<std::uint32_t>(to_rank));
      co_await on.room(to);
      if (!to.remote) {
        on.push_lent(to, all, transfer.size * element);
        continue;
      }
      // Where the receiver is: a block lies at the same place in everybody's result.
      const std::size_t theirs = (to_rank * count + transfer.first) % entries;
      on.push_packed(to, transfer.size * element, [&](std::byte* packed) {
        for_runs(theirs, transfer.size, entries, [&](std::size_t first, std::size_t run) {
          std::memcpy(packed, all + first * element, run * element);
          packed += run * element;
        });
      });
    }
    for (const concatenation_transfer& transfer : round) {
      edge& from = on.from(static_cast<std::uint32_t>((rank + transfer.offset) % size));
      co_await on.value(from);
      on.take(from, transfer.size * element, [&](const std::byte* theirs) {
        const std::size_t ours = (rank * count + transfer.first) % entries;
        for_runs(ours, transfer.size, entries, [&](std::size_t first, std::size_t run) {
          const std::byte* const sent = from.remote ? theirs : theirs + first * element;
          std::memcpy(all + first * element, sent, run * element);
          if (from.remote) theirs += run * element;
          ++traffic.copies;
        });
      });
      ++traffic.blocks;
      traffic.bytes += transfer.size * element;
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
