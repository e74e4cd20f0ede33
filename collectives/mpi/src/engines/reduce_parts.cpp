// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "engines/arc.hpp"
#include "engines/engines.hpp"
#include "engines/in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Run of neighbouring elements of one message: a block of one rank's.
struct run {
  std::size_t block;  // among those of all ranks
  std::size_t first;  // in `in` and `sums`
  std::size_t count;
};

/// The elements of one message, and its memory.
struct message {
  std::vector<run> runs;
  std::size_t count = 0;
  std::vector<std::byte> packed;
};

/// `parts` blocks of elements, each combined on its rank: what one call knows of all its rounds.
class parts_of_ranks {
 public:
  parts_of_ranks(communicator& on, std::span<const std::size_t> counts, std::size_t blocks)
      : on_(on), counts_(counts), rounds_(on.graph(), blocks), first_(counts.size()) {
    std::size_t before = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      first_[r] = before;
      before += counts[r];
    }
  }

  [[nodiscard]] const circulant_rounds& rounds() const noexcept { return rounds_; }

  /// Finds the blocks that travel in a round of the all-broadcast to `receiver`, so in the
  /// reduction from it.
  void find(std::size_t round, std::uint32_t receiver, message& into) const {
    into.runs.clear();
    into.count = 0;
    const auto units = [&](std::uint32_t root) { return counts_[root]; };
    each_block(on_, rounds_, round, receiver, units,
               [&](std::uint32_t root, std::size_t block, range part) {
                 into.runs.push_back(
                     {root * rounds_.blocks() + block, first_[root] + part.first, part.count});
                 into.count += part.count;
               });
  }

 private:
  communicator& on_;
  std::span<const std::size_t> counts_;
  circulant_rounds rounds_;
  std::vector<std::size_t> first_;
};

/// Partial sums of a reduction. Elements of a block to which nothing was added yet are those of
/// `in`.
class partial_sums {
 public:
  partial_sums(elements in, elements sums, combining op, const communicator& on)
      : in_(in), sums_(sums), op_(op), on_(on) {}

  void pack(const message& of, const std::vector<bool>& begun, std::byte* to) const {
    for (const run& piece : of.runs) {
      const elements from = begun[piece.block] ? sums_ : in_;
      place(from, piece).pack(piece.count, to, on_);
      to += piece.count * op_.of->size;
    }
  }

  void add(const message& of, std::vector<bool>& begun, elements aside) const {
    const std::byte* from = of.packed.data();
    for (const run& piece : of.runs) {
      const elements sum = place(sums_, piece);
      if (!begun[piece.block]) {
        sum.unpack(piece.count, from, on_);
        op_(place(in_, piece), sum, piece.count);
        begun[piece.block] = true;
      } else if (op_.of->dense) {
        op_(elements(from - op_.of->first, *op_.of), sum, piece.count);
      } else {
        aside.unpack(piece.count, from, on_);
        op_(aside, sum, piece.count);
      }
      from += piece.count * op_.of->size;
    }
  }

 private:
  static elements place(elements all, const run& piece) {
    return all.from(static_cast<std::ptrdiff_t>(piece.first));
  }

  elements in_, sums_;
  combining op_;
  const communicator& on_;
};

}  // namespace

task reduce_parts(communicator& on, operation what, elements in, elements sums,
                  std::span<const std::size_t> counts, combining op, std::size_t blocks) {
  const std::size_t ahead = on.chosen().window(what);
  const parts_of_ranks parts(on, counts, blocks);
  const std::size_t rounds = parts.rounds().size();
  const std::size_t size = op.of->size;

  std::size_t longest = 0;
  for (const std::size_t count : counts) longest = std::max(longest, split(count, blocks, 0).count);
  const partial_sums partial(in, sums, op, on);
  std::vector<bool> begun(counts.size() * blocks, in.buffer() == sums.buffer());
  const element_memory aside(op.of->dense ? 0 : longest, *op.of);

  std::vector<message> coming(ahead);
  std::vector<message> going(ahead);
  in_flight receives(on, what, ahead);
  in_flight sends(on, what, ahead);
  std::size_t sent = 0;
  std::size_t posted = 0;
  const auto neighbour = [&](std::size_t turn) {  // to whom the round goes in a broadcast
    return on.graph().to(on.rank(), parts.rounds().skip_index(rounds - 1 - turn));
  };
  const auto post = [&](std::size_t turn) {
    message& next = coming[turn % ahead];
    parts.find(rounds - 1 - turn, neighbour(turn), next);
    if (next.count == 0) return;
    next.packed.resize(next.count * size);
    receives.receive(elements::of_bytes(next.packed.data()), next.packed.size(), neighbour(turn));
  };
  for (std::size_t turn = 0; turn < rounds; ++turn) {
    for (; posted < rounds && posted < turn + ahead; ++posted) post(posted);
    const std::size_t round = rounds - 1 - turn;
    message& out = going[sent % ahead];
    parts.find(round, on.rank(), out);
    if (out.count != 0) {
      co_await sends.room();
      out.packed.resize(out.count * size);
      partial.pack(out, begun, out.packed.data());
      const std::uint32_t to = on.graph().from(on.rank(), parts.rounds().skip_index(round));
      sends.send(elements::of_bytes(out.packed.data()), out.packed.size(), to);
      ++sent;
    }
    message& now = coming[turn % ahead];
    if (now.count == 0) continue;
    co_await receives.oldest();
    partial.add(now, begun, aside.get());
  }
  co_await sends.all();
}

}  // namespace pleat::preloaded
