// SPDX-License-Identifier: Apache-2.0
// The concatenation algorithm: all_gather through several ports at once.
#include <algorithm>
#include <cstring>
#include <vector>

#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "rendezvous.hpp"

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

/// The table of all ranks' blocks in the order of the ranks, which goes on from its end with its
/// beginning. Its entries are elements if blocks are equal, else whole blocks.
class block_table {
 public:
  block_table(const layout& parts, std::size_t ranks)
      : parts_(parts), units_(parts.ends.empty() ? parts.each : 1), entries_(ranks * units_) {}

  /// Entries of a block.
  [[nodiscard]] std::size_t units() const noexcept { return units_; }
  /// Calls use(piece) for what a rank receives in a transfer: where it lies in everybody's result.
  template <class Use>
  void for_pieces(std::size_t rank, const concatenation_transfer& what, const Use& use) const {
    std::size_t first = (rank * units_ + what.first) % entries_;
    for (std::size_t left = what.size; left != 0; first = 0) {
      const std::size_t run = std::min(left, entries_ - first);
      use(entries(first, run));
      left -= run;
    }
  }
  [[nodiscard]] std::size_t bytes(std::size_t rank, const concatenation_transfer& what) const {
    std::size_t all = 0;
    for_pieces(rank, what, [&](const piece& p) { all += p.bytes; });
    return all;
  }

  /// Place in `all` of what a rank receives, if it lies in one piece; else null.
  [[nodiscard]] const std::byte* whole(std::size_t rank, const concatenation_transfer& what,
                                       const std::byte* all) const noexcept {
    const std::size_t first = (rank * units_ + what.first) % entries_;
    return first + what.size <= entries_ ? all + entries(first, what.size).offset : nullptr;
  }

 private:
  [[nodiscard]] piece entries(std::size_t first, std::size_t run) const noexcept {
    if (parts_.ends.empty()) return {first * parts_.element, run * parts_.element};
    const piece begin = parts_.part(first), end = parts_.part(first + run - 1);
    return {begin.offset, end.offset + end.bytes - begin.offset};
  }

  const layout& parts_;
  std::size_t units_, entries_;
};

}  // namespace

task<> concatenate(endpoint& on, std::byte* all, layout parts, unsigned ports,
                   collective_traffic& traffic) {
  const std::size_t size = on.size(), rank = on.rank();
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, parts.total(size));
  const block_table table(parts, size);
  // More ports than there are others would only cut messages into pieces.
  const concatenation_schedule schedule(size, table.units(),
                                        std::clamp<std::size_t>(size - 1, 1, ports));
  for (const concatenation_schedule::round& cut : schedule.rounds()) {
    const std::vector<concatenation_transfer> round = one_for_each_rank(cut);
    on.begin_round(traffic);
    for (const concatenation_transfer& transfer : round) {
      const std::size_t to_rank = (rank + size - transfer.offset) % size;
      const std::size_t bytes = table.bytes(to_rank, transfer);
      if (bytes == 0) continue;
      edge& to = on.to(static_cast<std::uint32_t>(to_rank));
      co_await on.room(to);
      if (const std::byte* const whole = table.whole(to_rank, transfer, all)) {
        on.push(to, whole, bytes);
        continue;
      }
      on.push_packed(to, bytes, [&](std::byte* packed) {
        table.for_pieces(to_rank, transfer, [&](const piece& p) {
          std::memcpy(packed, all + p.offset, p.bytes);
          packed += p.bytes;
        });
      });
    }
    for (const concatenation_transfer& transfer : round) {
      const std::size_t bytes = table.bytes(rank, transfer);
      if (bytes == 0) continue;
      edge& from = on.from(static_cast<std::uint32_t>((rank + transfer.offset) % size));
      co_await on.value(from);
      on.take(from, bytes, [&](const std::byte* theirs) {
        table.for_pieces(rank, transfer, [&](const piece& p) {
          std::memcpy(all + p.offset, theirs, p.bytes);
          theirs += p.bytes;
          ++traffic.copies;
        });
      });
      ++traffic.blocks;
      traffic.bytes += bytes;
    }
  }
  while (on.is_lending()) co_await on.returned();
}

}  // namespace pleat::detail
