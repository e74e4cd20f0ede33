// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "arc.hpp"
#include "byte_runs.hpp"
#include "engines.hpp"
#include "in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Finds the blocks that travel to `receiver` in a round.
void find(communicator& on, const circulant_rounds& rounds, std::size_t round,
          std::uint32_t receiver, std::span<const part> parts, byte_runs& into) {
  into.clear();
  const auto units = [&](std::uint32_t root) { return parts[root].bytes; };
  each_block(on, rounds, round, receiver, units, [&](std::uint32_t root, range block) {
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

void all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks) {
  constexpr std::size_t at_once = 2;
  const circulant_rounds rounds(on.graph(), blocks);
  std::array<incoming, at_once> in;
  std::array<std::vector<std::byte>, at_once> out_staged;
  byte_runs out;
  in_flight<at_once> receives(on, what);
  in_flight<at_once> sends(on, what);
  std::size_t sent = 0;
  const auto post = [&](std::size_t round) {
    incoming& next = in[round % at_once];
    find(on, rounds, round, on.rank(), parts, next.blocks);
    if (next.blocks.bytes() == 0) return;
    next.memory = next.blocks.memory(next.staged);
    receives.receive(elements::of_bytes(next.memory), next.blocks.bytes(),
                     on.graph().from(on.rank(), rounds.skip_index(round)));
  };
  if (rounds.size() > 0) post(0);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    if (round + 1 < rounds.size()) post(round + 1);
    const std::uint32_t to = on.graph().to(on.rank(), rounds.skip_index(round));
    find(on, rounds, round, to, parts, out);
    if (out.bytes() != 0) {
      sends.make_room();  // from here on, staged memory is free again
      sends.send(elements::of_bytes(out.packed(out_staged[sent++ % at_once])), out.bytes(), to);
    }
    incoming& now = in[round % at_once];
    if (now.blocks.bytes() == 0) continue;
    receives.wait_oldest();
    now.blocks.unpack(now.memory);
  }
  sends.wait_all();
}

}  // namespace pleat::preloaded
