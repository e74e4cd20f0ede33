// SPDX-License-Identifier: Apache-2.0
// The broadcasts, or the reductions, of all ranks at once along the circulant graph. Neighbours
// wait for each other and for nobody else.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "received.hpp"

namespace pleat::detail {

namespace {

/// Bytes that travel in a message to or from that rank.
std::size_t most_packed(const endpoint& on, std::uint32_t rank, std::size_t most_copied) noexcept {
  return on.remote(rank) ? std::numeric_limits<std::size_t>::max() : most_copied;
}

/// The blocks that travel over one arc in one round of all broadcasts at once: at most one for
/// every root, but for the receiver, who has its own. They are one message: up to `most_copied`
/// bytes travel in it, one block behind the other; of more it says where they lie. To another rank
/// of the machine all of them travel.
class arc_blocks {
 public:
  arc_blocks(endpoint& on, const circulant_rounds& rounds, const layout& parts, std::size_t round,
             std::uint32_t receiver, std::size_t most_copied)
      : entries_(on.table().received(rounds.skip_index(round))),
        rounds_(rounds),
        parts_(parts),
        round_(round),
        receiver_(receiver),
        size_(on.size()) {
    each_while([&](std::uint32_t, std::size_t, const piece& p) {
      bytes_ += p.bytes;
      return bytes_ <= most_copied;
    });
    copied_ = bytes_ <= most_copied;
  }

  /// Tells whether no bytes travel, and so no message.
  [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }

  /// Sends the message: blocks from where held(root, block, piece) says, or `lend()`. Requires
  /// room.
  template <class Held, class Lend>
  void push(endpoint& on, edge& to, const Held& held, const Lend& lend) const {
    if (!copied_) return lend();
    on.push_packed(to, bytes_, [&](std::byte* packed) {
      each([&](std::uint32_t root, std::size_t block, const piece& p) {
        std::memcpy(packed, held(root, block, p), p.bytes);
        packed += p.bytes;
      });
    });
  }

  /// Takes the message: use(root, block, piece, bytes) for each block. Of blocks that are lent,
  /// `lent_bytes` in all, find(data, more, root, block, piece) says where they lie, from what the
  /// sender has lent. Requires a value.
  template <class Find, class Use>
  void take(endpoint& on, edge& from, std::size_t lent_bytes, const Find& find,
            const Use& use) const {
    on.take(from, copied_ ? bytes_ : lent_bytes, [&](const std::byte* data, const std::byte* more) {
      each([&](std::uint32_t root, std::size_t block, const piece& p) {
        use(root, block, p, copied_ ? data : find(data, more, root, block, p));
        if (copied_) data += p.bytes;
      });
    });
  }

 private:
  /// Calls use(root, block, piece) for each that has bytes, in the order of the roots, as long as
  /// it returns true.
  template <class Use> void each_while(const Use& use) const {
    for (std::uint32_t root = 0; root < size_; ++root) {
      if (root == receiver_) continue;
      const std::uint32_t relative =
          receiver_ >= root ? receiver_ - root : receiver_ + (size_ - root);
      const std::size_t block = rounds_.block(entries_[relative], round_);
      if (block == circulant_step::none) continue;
      const piece p = parts_.at(root, block, rounds_.blocks());
      if (p.bytes != 0 && !use(root, block, p)) return;
    }
  }
  template <class Use> void each(const Use& use) const {
    each_while([&](std::uint32_t root, std::size_t block, const piece& p) {
      use(root, block, p);
      return true;
    });
  }

  std::span<const std::int8_t> entries_;
  const circulant_rounds& rounds_;
  const layout& parts_;
  std::size_t round_;
  std::uint32_t receiver_, size_;
  std::size_t bytes_ = 0;  // of all of them, or more than is copied as soon as it is that
  bool copied_;
};

}  // namespace

task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                     std::size_t blocks, collective_traffic& traffic) {
  const circulant_rounds rounds(on.graph(), blocks);
  const std::size_t total = parts.total(on.size());
  const piece own = parts.part(on.rank());
  const auto held = [&](std::uint32_t root, std::size_t, const piece& p) {
    return root == on.rank() ? mine + (p.offset - own.offset) : all + p.offset;
  };
  const auto keep_own = [&] {
    if (own.bytes == 0 || mine == all + own.offset) return;
    std::memcpy(all + own.offset, mine, own.bytes);
    ++traffic.copies;
  };
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    on.begin_round(traffic);
    const unsigned k = rounds.skip_index(round);
    const std::uint32_t to_rank = on.graph().to(on.rank(), k);
    const std::uint32_t from_rank = on.graph().from(on.rank(), k);
    const arc_blocks sent(on, rounds, parts, round, to_rank, most_packed(on, to_rank, on.copied()));
    if (!sent.empty()) {
      edge& to = on.to(to_rank);
      co_await on.room(to);
      sent.push(on, to, held, [&] { on.push_lent(to, all, total, mine); });
    }
    if (round == 0) keep_own();
    const arc_blocks received(on, rounds, parts, round, on.rank(),
                              most_packed(on, from_rank, on.copied()));
    if (received.empty()) continue;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    const std::size_t first_of_theirs = parts.part(from_rank).offset;
    const auto find = [&](const std::byte* theirs, const std::byte* their_own, std::uint32_t root,
                          std::size_t, const piece& p) {
      return root == from_rank ? their_own + (p.offset - first_of_theirs) : theirs + p.offset;
    };
    const auto keep = [&](std::uint32_t, std::size_t, const piece& p, const std::byte* bytes) {
      std::memcpy(all + p.offset, bytes, p.bytes);
      count_received(traffic, p.bytes);
    };
    received.take(on, from, total, find, keep);
  }
  if (rounds.size() == 0) keep_own();
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> all_reduce_parts(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                        std::size_t blocks, combiner op, bool settle, collective_traffic& traffic) {
  const circulant_rounds rounds(on.graph(), blocks);
  const std::size_t most_copied = copied_of(on, op);
  const std::size_t total = parts.total(on.size());
  // Where a block's sum so far lies: with us as `in` has it, till something was added to it. The
  // table is lent: its entries do not change any more once a block has been sent.
  const std::span<const std::byte*> at = on.pointers(on.size() * blocks);
  for (std::uint32_t root = 0; root < on.size(); ++root) {
    for (std::size_t block = 0; block < blocks; ++block)
      at[root * blocks + block] = in + parts.at(root, block, blocks).offset;
  }
  std::byte* const sums = on.size() > 2 ? on.scratch(total) : nullptr;
  const std::size_t first_of_mine = parts.part(on.rank()).offset;
  const auto held = [&](std::uint32_t root, std::size_t block, const piece&) {
    return at[root * blocks + block];
  };
  const auto find = [&](const std::byte* theirs, const std::byte*, std::uint32_t root,
                        std::size_t block, const piece&) {
    const std::byte* sum;
    std::memcpy(&sum, theirs + (root * blocks + block) * sizeof sum, sizeof sum);
    return sum;
  };
  const auto add = [&](std::uint32_t root, std::size_t block, const piece& p,
                       const std::byte* theirs) {
    const std::byte*& sum_so_far = at[root * blocks + block];
    std::byte* const sum = root == on.rank() ? out + (p.offset - first_of_mine) : sums + p.offset;
    op(sum, sum_so_far, on.aligned(theirs, p.bytes, op.alignment), p.bytes);
    sum_so_far = sum;
    count_received(traffic, p.bytes);
  };
  for (std::size_t round = rounds.size(); round-- > 0;) {
    on.begin_round(traffic);
    const unsigned k = rounds.skip_index(round);
    const std::uint32_t to_rank = on.graph().from(on.rank(), k);
    const std::uint32_t from_rank = on.graph().to(on.rank(), k);
    const arc_blocks sent(on, rounds, parts, round, on.rank(),
                          most_packed(on, to_rank, most_copied));
    if (!sent.empty()) {
      edge& to = on.to(to_rank);
      co_await on.room(to);
      sent.push(on, to, held, [&] { on.push_lent(to, at.data(), total); });
    }
    const arc_blocks received(on, rounds, parts, round, from_rank,
                              most_packed(on, from_rank, most_copied));
    if (received.empty()) continue;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    received.take(on, from, total, find, add);
  }
  if (!settle) co_return;
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
