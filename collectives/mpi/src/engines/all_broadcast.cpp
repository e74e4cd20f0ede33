// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "engines/arc.hpp"
#include "engines/byte_runs.hpp"
#include "engines/engines.hpp"
#include "engines/in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Finds the blocks that travel to `receiver` in a round.
void find(communicator& on, const circulant_rounds& rounds, std::size_t round,
          std::uint32_t receiver, std::span<const part> parts, byte_runs& into) {
  into.clear();
  const auto units = [&](std::uint32_t root) { return parts[root].bytes; };
  each_block(on, rounds, round, receiver, units, [&](std::uint32_t root, auto, range block) {
    into.add({parts[root].data + block.first, block.count});
  });
}

/// Message that this rank is receiving.
struct incoming {
  byte_runs blocks;
  std::vector<std::byte> staged;
  std::byte* memory = nullptr;
};

}  // namespace

task all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks) {
  const std::size_t ahead = on.chosen().window(what);
  const circulant_rounds rounds(on.graph(), blocks);
  std::vector<incoming> in(ahead);
  std::vector<std::vector<std::byte>> out_staged(ahead);
  byte_runs out;
  in_flight receives(on, what, ahead);
  in_flight sends(on, what, ahead);
  std::size_t sent = 0;
  std::size_t posted = 0;
  const auto post = [&](std::size_t round) {
    incoming& next = in[round % ahead];
    find(on, rounds, round, on.rank(), parts, next.blocks);
    if (next.blocks.bytes() == 0) return;
    next.memory = next.blocks.memory(next.staged);
    receives.receive(elements::of_bytes(next.memory), next.blocks.bytes(),
                     on.graph().from(on.rank(), rounds.skip_index(round)));
  };
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (; posted < rounds.size() && posted < round + ahead; ++posted) post(posted);
    const std::uint32_t to = on.graph().to(on.rank(), rounds.skip_index(round));
    find(on, rounds, round, to, parts, out);
    if (out.bytes() != 0) {
      co_await sends.room();  // from here on, staged memory is free again
      sends.send(elements::of_bytes(out.packed(out_staged[sent++ % ahead])), out.bytes(), to);
    }
    incoming& now = in[round % ahead];
    if (now.blocks.bytes() == 0) continue;
    co_await receives.oldest();
    now.blocks.unpack(now.memory);
  }
  co_await sends.all();
}

}  // namespace pleat::preloaded
