// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/distributed/new_block.hpp>
#include <pleat/oblivious/detail/everyday/shuffling.hpp>
#include <pleat/oblivious/detail/shares/placing.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
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
  distribution::lend_to_makers(me, parts, n - mine.last,
                               block.subspan(mine.first - here.first, mine.size()),
                               piece_order::backward);
  co_await me.sync(0);
  distribution::take_pieces(me, here.first, out, piece_order::backward);
}

/// Program of a rotation, by a middle that all ranks compare first: the first `middle` elements go
/// behind all others.
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
      distribution::lend_to_makers(me, parts, to,
                                   block.subspan(some.first - here.first, some.size()));
  };
  const interval<> front = intersect(mine, {0, middle});
  const interval<> back = intersect(mine, {middle, n});
  lend(front, front.first + n - middle);
  lend(back, back.first - middle);
  co_await me.sync(0);
  distribution::take_pieces(me, here.first, out);
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

template <class T> void reverse_blocks(machine& on, collective_call& call, distributed<T>& data) {
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    distribution::rearrange_blocks(on, call, data, [&](vp& me, const rank_places& places, T* out) {
      return distribution::reverse_program(me, places, data.size(), data.rank(), block, out);
    });
  }  // else there are no such data on several ranks
}
template <class T>
void rotate_blocks(machine& on, collective_call& call, distributed<T>& data, std::size_t middle) {
  if constexpr (byte_copyable<T>) {
    const std::span<const T> block = data.local();
    distribution::rearrange_blocks(on, call, data, [&](vp& me, const rank_places& places, T* out) {
      return distribution::rotate_program(me, places, data.size(), middle, data.rank(), block, out);
    });
  }
}

/// The program of random_shuffle of an array; shuffled buckets then go to their blocks.
template <class T>
void shuffle_blocks(machine& on, collective_call& call, distributed<T>& data, std::uint64_t seed) {
  if constexpr (byte_copyable<T>) {
    const everyday::random_permutation order(data.size(), seed);
    const std::size_t numbers = order.buckets() + 2;
    std::vector<std::size_t> begins(numbers * call.vps());
    std::vector<std::unique_ptr<T[]>> shuffled(call.vps());
    const agreed_words words{seed};
    const interval<> here = data.block();
    distribution::rearrange_blocks(
        on, call, data, [&](vp& me, const rank_places& places, T* out) -> task<> {
          co_await agree(me, places, call.rank(), words, "random_shuffle: seeds");
          const vp_parts parts(data.size(), places);
          const interval<> mine = parts.part(me.rank());
          const std::size_t offset = mine.first - here.first;
          const std::size_t vp_here = me.rank() - places[call.rank()].first;
          interval<> made;
          const auto to = [&](const interval<>& some) {
            made = some;
            shuffled[vp_here] = std::make_unique_for_overwrite<T[]>(some.size());
            return shuffled[vp_here].get();
          };
          std::size_t* const my_begins = begins.data() + vp_here * numbers;
          const T* const from = data.local().data() + offset;
          co_await everyday::shuffle_program(me, order, mine, from, out + offset, my_begins, to);
          const std::span<const T> all(shuffled[vp_here].get(), made.size());
          distribution::lend_to_makers(me, parts, made.first, all);
          co_await me.sync(0);
          distribution::take_pieces(me, here.first, out);
        });
  }
}

}  // namespace pleat::detail::distribution
