// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/new_block.hpp>
#include <pleat/oblivious/detail/distributed/placing.hpp>
#include <pleat/oblivious/detail/distributed/vp_parts.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Elements of distributed data change places, each to one that is known beforehand.
namespace pleat::detail::distribution {

/// A VP's part in reversing n elements: one 0-superstep. What becomes of the block goes to `out`.
template <class T>
task<> reverse_program(vp& me, const rank_places& places, std::size_t n, std::size_t rank,
                       std::span<const T> block, T* out) {
  const vp_parts parts(n, places);
  const interval<> here = parts.block(rank);
  const interval<> mine = parts.part(me.rank());
  lend_to_makers(me, parts, n - mine.last, block.subspan(mine.first - here.first, mine.size()),
                 piece_order::backward);
  co_await me.sync(0);
  take_pieces(me, here.first, out, piece_order::backward);
}

/// The same for a rotation, by a middle that all ranks compare first: the first `middle` elements
/// go behind all others.
template <class T>
task<> rotate_program(vp& me, const rank_places& places, std::size_t n, std::size_t middle,
                      std::size_t rank, std::span<const T> block, T* out) {
  const agreed_words words{middle};
  co_await agree(me, places, rank, words, "rotate: middles");
  const vp_parts parts(n, places);
  const interval<> here = parts.block(rank);
  const interval<> mine = parts.part(me.rank());
  const auto lend = [&](const interval<>& some, std::size_t to) {
    if (!some.empty())
      lend_to_makers(me, parts, to, block.subspan(some.first - here.first, some.size()));
  };
  const interval<> front = intersect(mine, {0, middle});
  const interval<> back = intersect(mine, {middle, n});
  lend(front, front.first + n - middle);
  lend(back, back.first - middle);
  co_await me.sync(0);
  take_pieces(me, here.first, out);
}

/// Makes new blocks by program(me, places, out) of each VP, and writes them when all ranks have
/// theirs.
template <class T, class Program>
void rearrange_blocks(machine& on, collective_call& call, distributed<T>& data,
                      const Program& program) {
  new_block<T> made(on, data.local());
  call.here([&] { made.make(); });
  call.run([&](vp& me, const rank_places& places) { return program(me, places, made.data()); });
  made.put();
}

}  // namespace pleat::detail::distribution
