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
      edge& to = on.to(static_cast<std::uint32_t>((rank + size - transfer.offset) % size));
      co_await on.room(to);
      on.push_lent(to, all, transfer.size * element);
    }
    for (const concatenation_transfer& transfer : round) {
      edge& from = on.from(static_cast<std::uint32_t>((rank + transfer.offset) % size));
      co_await on.value(from);
      on.take(from, transfer.size * element, [&](const std::byte* theirs) {
        // A block lies at the same place in everybody's result.
        std::size_t first = (rank * count + transfer.first) % entries;
        for (std::size_t left = transfer.size; left != 0;) {
          const std::size_t run = std::min(left, entries - first);
          std::memcpy(all + first * element, theirs + first * element, run * element);
          ++traffic.copies;
          left -= run;
          first = 0;
        }
      });
      ++traffic.blocks;
      traffic.bytes += transfer.size * element;
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
