// SPDX-License-Identifier: Apache-2.0
// A broadcast and a reduction along the circulant graph, block by block. Neighbours wait for each
// other and for nobody else.
#include <cstring>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "received.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

task<> broadcast_blocks(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                        collective_traffic& traffic) {
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, blocks.count * blocks.element);
  const circulant_rounds rounds(on.graph(), blocks.blocks);
  const circulant_schedule& own = on.schedule(root);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    on.begin_round(traffic);
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
      count_received(traffic, p.bytes);
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

task<> reduce_blocks(endpoint& on, std::uint32_t root, const std::byte* in, std::byte* sum,
                     block_split blocks, combiner op, collective_traffic& traffic) {
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, blocks.count * blocks.element);
  const circulant_rounds rounds(on.graph(), blocks.blocks);
  const circulant_schedule& own = on.schedule(root);
  const std::span<const std::byte*> at = on.pointers(blocks.blocks);
  const auto held = [&](std::size_t block) {
    return at[block] != nullptr ? at[block] : in + blocks.at(block).offset;
  };
  for (std::size_t round = rounds.size(); round-- > 0;) {
    on.begin_round(traffic);
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
        op(sum + p.offset, held(step.sent), on.aligned(theirs, p.bytes, op.alignment), p.bytes);
      });
      at[step.sent] = sum + p.offset;
      count_received(traffic, p.bytes);
    }
  }
  for (const edge* lent : on.lending()) co_await on.drained(*lent);
  on.all_drained();
}

}  // namespace pleat::detail
