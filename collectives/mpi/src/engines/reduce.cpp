// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>

#include "engines/engines.hpp"
#include "engines/in_flight.hpp"
#include "engines/split.hpp"

namespace pleat::preloaded {

namespace {

elements at(elements all, range part) { return all.from(static_cast<std::ptrdiff_t>(part.first)); }

/// Contribution that this rank is receiving, and its buffer: the block's place in the sum if that
/// is still empty, else separate memory.
struct contribution {
  std::size_t block = 0;
  bool first = false;
};

}  // namespace

void combining::operator()(elements here, elements there, std::size_t count) const {
  constexpr std::size_t most_at_once = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < count; i += most_at_once) {
    const auto before = static_cast<std::ptrdiff_t>(i);
    check(PMPI_Reduce_local(here.from(before).buffer(), there.from(before).buffer(),
                            static_cast<int>(std::min(count - i, most_at_once)), of->type, op));
  }
}

task reduce(communicator& on, operation what, std::uint32_t root, elements in, elements sum,
            std::size_t count, combining op, std::size_t blocks) {
  // Receives are posted ahead. Contributions to a block are waited for only when it is sent on, so
  // latencies overlap.
  const std::size_t ahead = on.chosen().window(what);
  const circulant_rounds rounds(on.graph(), blocks);
  const circulant_schedule& own = on.schedule(root);
  // `in` has the only contribution to the blocks that the sum does not have yet.
  const bool in_place = in.buffer() == sum.buffer();
  std::vector<bool> begun(blocks, in_place);
  std::vector<bool> combined(blocks, in_place);
  std::vector<std::uint8_t> expected(blocks, 0);  // contributions that are under way
  const std::size_t longest = split(count, blocks, 0).count;
  // Separate memory for each message, because elements an extent apart may interleave.
  std::vector<element_memory> aside;
  for (std::size_t i = 0; i < std::min(ahead, rounds.size()); ++i) {
    aside.emplace_back(longest, *op.of);
  }
  std::vector<contribution> coming(ahead);
  std::size_t posted = 0;
  std::size_t come = 0;
  in_flight receives(on, what, ahead);
  in_flight sends(on, what, ahead);

  const auto aside_of = [&](std::size_t message) { return aside[message % ahead].get(); };
  const auto take_oldest = [&] {
    const contribution& message = coming[come % ahead];
    const range block = split(count, blocks, message.block);
    op(message.first ? at(in, block) : aside_of(come), at(sum, block), block.count);
    combined[message.block] = true;
    --expected[message.block];
    ++come;
  };
  // Runs the rounds of a broadcast in the opposite order, with senders and receivers exchanged.
  const auto step = [&](std::size_t turn) {
    return rounds.step(on.graph(), own, on.rank(), root, rounds.size() - 1 - turn);
  };
  std::size_t next = 0;
  for (std::size_t turn = 0; turn < rounds.size(); ++turn) {
    for (; next < rounds.size() && next < turn + ahead; ++next) {
      const circulant_step later = step(next);
      if (later.sent == circulant_step::none) continue;
      if (posted - come == ahead) {
        co_await receives.oldest();
        take_oldest();
      }
      const range block = split(count, blocks, later.sent);
      const bool first = !begun[later.sent];
      begun[later.sent] = true;
      ++expected[later.sent];
      coming[posted % ahead] = {later.sent, first};
      receives.receive(first ? at(sum, block) : aside_of(posted), block.count, later.to);
      ++posted;
    }
    const circulant_step now = step(turn);
    if (now.received == circulant_step::none) continue;
    // Completes the block before it is sent: no later round adds to it.
    while (expected[now.received] != 0) {
      co_await receives.oldest();
      take_oldest();
    }
    co_await sends.room();
    const range block = split(count, blocks, now.received);
    sends.send(at(combined[now.received] ? sum : in, block), block.count, now.from);
  }
  while (come < posted) {
    co_await receives.oldest();
    take_oldest();
  }
  co_await sends.all();
}

}  // namespace pleat::preloaded
