// SPDX-License-Identifier: Apache-2.0
// The broadcasts, or the reductions, of all ranks at once along the circulant graph. Neighbours
// wait for each other and for nobody else.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "received.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

namespace {

/// The blocks that travel over one arc in one round of all broadcasts at once: at most one for
/// every root, but for the receiver, who has its own. They are one message, one block behind the
/// other.
class arc_blocks {
 public:
  arc_blocks(endpoint& on, const circulant_rounds& rounds, const layout& parts, std::size_t round,
             std::uint32_t receiver)
      : entries_(on.table().received(rounds.skip_index(round))),
        rounds_(rounds),
        parts_(parts),
        round_(round),
        receiver_(receiver),
        size_(on.size()) {
    each([&](std::uint32_t, std::size_t, const piece& p) {
      bytes_ += p.bytes;
      ++count_;
    });
  }

  /// Tells whether no bytes travel, and so no message.
  [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }

  /// Sends the message: blocks from where held(root, block, piece) says. A single block of more
  /// than `most_copied` bytes is lent. Requires room.
  template <class Held>
  void push(endpoint& on, edge& to, std::size_t most_copied, const Held& held) const {
    if (count_ == 1) {
      each([&](std::uint32_t root, std::size_t block, const piece& p) {
        on.push(to, held(root, block, p), p.bytes, most_copied);
      });
      return;
    }
    on.push_packed(to, bytes_, [&](std::byte* packed) {
      each([&](std::uint32_t root, std::size_t block, const piece& p) {
        std::memcpy(packed, held(root, block, p), p.bytes);
        packed += p.bytes;
      });
    });
  }

  /// Takes the message: use(root, block, piece, bytes) for each block. Requires a value.
  template <class Use> void take(endpoint& on, edge& from, const Use& use) const {
    on.take(from, bytes_, [&](const std::byte* data) {
      each([&](std::uint32_t root, std::size_t block, const piece& p) {
        use(root, block, p, data);
        data += p.bytes;
      });
    });
  }

 private:
  /// Calls use(root, block, piece) for each that has bytes, in the order of the roots.
  template <class Use> void each(const Use& use) const {
    for (std::uint32_t root = 0; root < size_; ++root) {
      if (root == receiver_) continue;
      const std::uint32_t relative =
          receiver_ >= root ? receiver_ - root : receiver_ + (size_ - root);
      const std::size_t block = rounds_.block(entries_[relative], round_);
      if (block == circulant_step::none) continue;
      const piece p = parts_.at(root, block, rounds_.blocks());
      if (p.bytes != 0) use(root, block, p);
    }
  }

  std::span<const std::int8_t> entries_;
  const circulant_rounds& rounds_;
  const layout& parts_;
  std::size_t round_;
  std::uint32_t receiver_, size_;
  std::size_t bytes_ = 0, count_ = 0;
};

}  // namespace

task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                     std::size_t blocks, collective_traffic& traffic) {
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, parts.total(on.size()));
  const circulant_rounds rounds(on.graph(), blocks);
  const piece own = parts.part(on.rank());
  const auto held = [&](std::uint32_t root, std::size_t, const piece& p) {
    return root == on.rank() ? mine + (p.offset - own.offset) : all + p.offset;
  };
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    on.begin_round(traffic);
    const unsigned k = rounds.skip_index(round);
    const std::uint32_t to_rank = on.graph().to(on.rank(), k);
    const arc_blocks sent(on, rounds, parts, round, to_rank);
    if (!sent.empty()) {
      edge& to = on.to(to_rank);
      co_await on.room(to);
      sent.push(on, to, on.copied(), held);
    }
    if (round == 0) copy(all + own.offset, mine, own.bytes, traffic);
    const arc_blocks received(on, rounds, parts, round, on.rank());
    if (received.empty()) continue;
    edge& from = on.from(on.graph().from(on.rank(), k));
    co_await on.value(from);
    received.take(on, from,
                  [&](std::uint32_t, std::size_t, const piece& p, const std::byte* bytes) {
                    receive(all + p.offset, bytes, p.bytes, traffic);
                  });
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> all_reduce_parts(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                        std::size_t blocks, combiner op, bool settle, collective_traffic& traffic) {
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, parts.total(on.size()));
  const circulant_rounds rounds(on.graph(), blocks);
  // Where a block's sum so far lies: with us as `in` has it, till something was added to it.
  const std::span<const std::byte*> at = on.pointers(on.size() * blocks);
  for (std::uint32_t root = 0; root < on.size(); ++root) {
    for (std::size_t block = 0; block < blocks; ++block)
      at[root * blocks + block] = in + parts.at(root, block, blocks).offset;
  }
  std::byte* const sums = on.size() > 2 ? on.scratch(parts.total(on.size())) : nullptr;
  const std::size_t first_of_mine = parts.part(on.rank()).offset;
  const auto held = [&](std::uint32_t root, std::size_t block, const piece&) {
    return at[root * blocks + block];
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
    const std::uint32_t from_rank = on.graph().to(on.rank(), k);
    const arc_blocks sent(on, rounds, parts, round, on.rank());
    if (!sent.empty()) {
      edge& to = on.to(on.graph().from(on.rank(), k));
      co_await on.room(to);
      sent.push(on, to, copied_of(on, op), held);
    }
    const arc_blocks received(on, rounds, parts, round, from_rank);
    if (received.empty()) continue;
    edge& from = on.from(from_rank);
    co_await on.value(from);
    received.take(on, from, add);
  }
  if (!settle) co_return;
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> all_reduce_blocks(endpoint& on, const std::byte* in, std::byte* out, block_split data,
                         combiner op, collective_traffic& traffic) {
  const layout parts = balanced_layout(data, on.size(), on.ends());
  std::byte* const mine = out + parts.part(on.rank()).offset;
  task<> reduced = all_reduce_parts(on, in, mine, parts, data.blocks, op, in == out, traffic);
  co_await reduced;
  task<> gathered = all_broadcast(on, mine, out, parts, data.blocks, traffic);
  co_await gathered;
}

}  // namespace pleat::detail
