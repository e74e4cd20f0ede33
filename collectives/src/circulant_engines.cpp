// SPDX-License-Identifier: Apache-2.0
// Broadcasts and reductions along the circulant graph, block by block. Neighbours wait for each
// other and for nobody else.
#include <cstring>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

namespace pleat::detail {

namespace {

void count(collective_traffic& traffic, std::size_t bytes) {
  ++traffic.blocks;
  traffic.bytes += bytes;
  ++traffic.copies;
}

/// The blocks that travel over one arc in one round of all broadcasts at once: at most one for
/// every root, but for the receiver, who has its own.
class arc_blocks {
 public:
  arc_blocks(endpoint& on, const circulant_rounds& rounds, const layout& parts, std::size_t round,
             std::uint32_t receiver)
      : entries_(on.table().received(rounds.skip_index(round))),
        rounds_(rounds),
        parts_(parts),
        round_(round),
        receiver_(receiver),
        size_(on.size()),
        copied_(on.copied()) {}

  /// Calls use(root, block, piece) for each that has bytes, in the order of the roots, as long as
  /// it returns true.
  template <class Use> void for_each(const Use& use) const {
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
  /// Bytes of all of them, or more than is copied as soon as it is that.
  [[nodiscard]] std::size_t small_bytes() const {
    std::size_t bytes = 0;
    for_each([&](std::uint32_t, std::size_t, const piece& p) {
      bytes += p.bytes;
      return bytes <= copied_;
    });
    return bytes;
  }

 private:
  std::span<const std::int8_t> entries_;
  const circulant_rounds& rounds_;
  const layout& parts_;
  std::size_t round_;
  std::uint32_t receiver_, size_;
  std::size_t copied_;
};

}  // namespace

task<> broadcast_blocks(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                        collective_traffic& traffic) {
  const circulant_rounds rounds(on.graph(), blocks.blocks);
  const circulant_schedule& own = on.schedule(root);
  traffic.rounds += rounds.size();
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const circulant_step step = rounds.step(on.graph(), own, on.rank(), root, round);
    if (step.sent != circulant_step::none) {
      edge& to = on.to(step.to);
      const piece p = blocks.at(step.sent);
      co_await on.room(to);
      on.push(to, data + p.offset, p.bytes);
    }
    if (step.received != circulant_step::none) {
      edge& from = on.from(step.from);
      const piece p = blocks.at(step.received);
      co_await on.value(from);
      on.take(from, p.bytes, [&](const std::byte* sent) {
        if (p.bytes != 0) std::memcpy(data + p.offset, sent, p.bytes);
      });
      count(traffic, p.bytes);
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> reduce_blocks(endpoint& on, std::uint32_t root, const std::byte* in, std::byte* sum,
                     block_split blocks, combiner op, collective_traffic& traffic) {
  const circulant_rounds rounds(on.graph(), blocks.blocks);
  const circulant_schedule& own = on.schedule(root);
  const std::span<const std::byte*> at = on.pointers(blocks.blocks);
  const auto held = [&](std::size_t block) {
    return at[block] != nullptr ? at[block] : in + blocks.at(block).offset;
  };
  traffic.rounds += rounds.size();
  for (std::size_t round = rounds.size(); round-- > 0;) {
    const circulant_step step = rounds.step(on.graph(), own, on.rank(), root, round);
    if (step.received != circulant_step::none) {
      edge& to = on.to(step.from);
      co_await on.room(to);
      on.push(to, held(step.received), blocks.at(step.received).bytes, copied_of(on, op));
    }
    if (step.sent != circulant_step::none) {
      edge& from = on.from(step.to);
      const piece p = blocks.at(step.sent);
      co_await on.value(from);
      on.take(from, p.bytes, [&](const std::byte* theirs) {
        op(sum + p.offset, held(step.sent), theirs, p.bytes);
      });
      at[step.sent] = sum + p.offset;
      count(traffic, p.bytes);
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                     std::size_t blocks, collective_traffic& traffic) {
  const circulant_rounds rounds(on.graph(), blocks);
  const std::size_t total = parts.total(on.size());
  const std::size_t first_of_mine = parts.part(on.rank()).offset;
  const auto held = [&](std::uint32_t root, const piece& p) {
    return root == on.rank() ? mine + (p.offset - first_of_mine) : all + p.offset;
  };
  const auto keep_own = [&] {
    const piece own = parts.part(on.rank());
    if (own.bytes == 0 || mine == all + own.offset) return;
    std::memcpy(all + own.offset, mine, own.bytes);
    ++traffic.copies;
  };
  traffic.rounds += rounds.size();
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const unsigned k = rounds.skip_index(round);
    const std::uint32_t to_rank = on.graph().to(on.rank(), k);
    const arc_blocks sent(on, rounds, parts, round, to_rank);
    const std::size_t bytes = sent.small_bytes();
    if (bytes != 0) {
      edge& to = on.to(to_rank);
      co_await on.room(to);
      if (bytes <= on.copied()) {
        on.push_filled(to, bytes, [&](std::byte* packed) {
          sent.for_each([&](std::uint32_t root, std::size_t, const piece& p) {
            std::memcpy(packed, held(root, p), p.bytes);
            packed += p.bytes;
            return true;
          });
        });
      } else {
        on.push_lent(to, all, total, mine);
      }
    }
    if (round == 0) keep_own();
    const arc_blocks received(on, rounds, parts, round, on.rank());
    const std::size_t expected = received.small_bytes();
    if (expected == 0) continue;
    const std::uint32_t from_rank = on.graph().from(on.rank(), k);
    const std::size_t first_of_theirs = parts.part(from_rank).offset;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    const bool packed = expected <= on.copied();
    on.take(from, packed ? expected : total,
            [&](const std::byte* theirs, const std::byte* their_own) {
              received.for_each([&](std::uint32_t root, std::size_t, const piece& p) {
                const std::byte* source = theirs;
                if (packed)
                  theirs += p.bytes;
                else if (root == from_rank)
                  source = their_own + (p.offset - first_of_theirs);
                else
                  source = theirs + p.offset;
                std::memcpy(all + p.offset, source, p.bytes);
                count(traffic, p.bytes);
                return true;
              });
            });
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
  traffic.rounds += rounds.size();
  for (std::size_t round = rounds.size(); round-- > 0;) {
    const unsigned k = rounds.skip_index(round);
    const arc_blocks sent(on, rounds, parts, round, on.rank());
    const std::size_t bytes = sent.small_bytes();
    if (bytes != 0) {
      edge& to = on.to(on.graph().from(on.rank(), k));
      co_await on.room(to);
      if (bytes <= most_copied) {
        on.push_filled(to, bytes, [&](std::byte* packed) {
          sent.for_each([&](std::uint32_t root, std::size_t block, const piece& p) {
            std::memcpy(packed, at[root * blocks + block], p.bytes);
            packed += p.bytes;
            return true;
          });
        });
      } else {
        on.push_lent(to, at.data(), total);
      }
    }
    const std::uint32_t from_rank = on.graph().to(on.rank(), k);
    const arc_blocks received(on, rounds, parts, round, from_rank);
    const std::size_t expected = received.small_bytes();
    if (expected == 0) continue;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    const bool packed = expected <= most_copied;
    on.take(from, packed ? expected : total, [&](const std::byte* theirs) {
      received.for_each([&](std::uint32_t root, std::size_t block, const piece& p) {
        const std::byte*& held = at[root * blocks + block];
        const std::byte* added = theirs;
        if (packed)
          theirs += p.bytes;
        else
          std::memcpy(&added, theirs + (root * blocks + block) * sizeof added, sizeof added);
        std::byte* const sum =
            root == on.rank() ? out + (p.offset - first_of_mine) : sums + p.offset;
        op(sum, held, added, p.bytes);
        held = sum;
        count(traffic, p.bytes);
        return true;
      });
    });
  }
  if (!settle) co_return;
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
