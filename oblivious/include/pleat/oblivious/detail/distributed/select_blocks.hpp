// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/placing.hpp>
#include <pleat/oblivious/detail/distributed/rank_values.hpp>
#include <pleat/oblivious/detail/distributed/vp_parts.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

// Each rank chooses some elements of its block; all that were chosen become balanced blocks.
namespace pleat::detail::distribution {

/// Where the elements of each rank begin among those of all, and at the end how many there are.
inline std::vector<std::size_t> begins_of_ranks(const std::vector<std::uint64_t>& counts) {
  std::vector<std::size_t> begins(counts.size() + 1);
  std::inclusive_scan(counts.begin(), counts.end(), begins.begin() + 1);
  return begins;
}

/// A VP lends its share of what its rank has, which becomes the elements from `place` on.
template <class T>
void lend_share(vp& me, const vp_parts& parts, std::size_t rank, std::size_t place,
                std::span<const T> elements) {
  const rank_range& here = parts.vps_of(rank);
  const interval<> mine = interval<>{0, elements.size()}.share(me.rank() - here.first, here.size());
  lend_to_makers(me, parts, place + mine.first, elements.subspan(mine.first, mine.size()));
}

/// A VP's part in telling each rank the element before its block, if it has both. One 0-superstep,
/// after which the first VP of the rank calls use(element).
template <class T, class Use>
task<> tell_element_before(vp& me, const rank_places& places, const distributed<T>& data,
                           const Use& use) {
  const bool first = me.rank() == places[data.rank()].first;
  const std::size_t next = data.block().last;
  if (first && !data.local().empty() && next < data.size())
    me.send(places[data.owner(next)].first, data.local().last(1));
  co_await me.sync(0);
  if (!first) co_return;
  if (const auto m = me.receive()) use(m->template get<T>());
}

/// Data of what all ranks have chosen, in the order of the ranks.
template <class T>
distributed<T> join_blocks(machine& on, collective_call& call, std::span<const T> chosen) {
  if constexpr (byte_copyable<T>) {
    const std::vector<std::size_t> begins =
        begins_of_ranks(values_of_ranks(call, std::uint64_t{chosen.size()}));
    distributed<T> made(on, begins.back());
    call.run_again([&](vp& me, const rank_places& places) -> task<> {
      const vp_parts parts(begins.back(), places);
      lend_share(me, parts, call.rank(), begins[call.rank()], chosen);
      co_await me.sync(0);
      take_pieces(me, parts.block(call.rank()).first, made.local().data());
    });
    return made;
  } else {
    return {};  // there are no such data on several ranks
  }
}

/// Elements of a block, in other memory.
template <class T> struct chosen_elements {
  std::unique_ptr<T[]> memory;
  std::size_t count = 0;
};

/// The same of what choose(to) copies of this rank's block to `to`, as long as the block; it
/// returns how many.
template <class T, class Choose>
distributed<T> select_blocks(machine& on, collective_call& call, const distributed<T>& data,
                             const Choose& choose) {
  chosen_elements<T> chosen;
  call.here([&] {
    chosen.memory = std::make_unique<T[]>(data.local().size());
    chosen.count = choose(std::span<T>(chosen.memory.get(), data.local().size()));
  });
  if (call.alone()) {
    distributed<T> made(on, chosen.count);
    std::move(chosen.memory.get(), chosen.memory.get() + chosen.count, made.local().begin());
    return made;
  }
  return join_blocks(on, call, std::span<const T>(chosen.memory.get(), chosen.count));
}

/// Puts those elements first that divide(copy) has put first in a copy of this rank's block; it
/// returns how many. Returns the number of all ranks'. Blocks are written when all have theirs.
template <class T, class Divide>
std::size_t divide_blocks(machine& on, collective_call& call, distributed<T>& data,
                          const Divide& divide) {
  const std::span<T> block = data.local();
  const std::size_t rank = data.rank();
  std::unique_ptr<T[]> divided, made;
  std::size_t count = 0;
  call.here([&] {
    divided = std::make_unique<T[]>(block.size());
    made = std::make_unique<T[]>(block.size());
    std::copy(block.begin(), block.end(), divided.get());
    count = divide(std::span<T>(divided.get(), block.size()));
  });
  if constexpr (byte_copyable<T>) {
    const std::vector<std::size_t> begins =
        begins_of_ranks(values_of_ranks(call, std::uint64_t{count}));
    const std::span<const T> all(divided.get(), block.size());
    call.run_again([&](vp& me, const rank_places& places) -> task<> {
      const vp_parts parts(data.size(), places);
      const std::size_t others = begins.back() + data.block().first - begins[rank];
      lend_share(me, parts, rank, begins[rank], all.first(count));
      lend_share(me, parts, rank, others, all.subspan(count));
      co_await me.sync(0);
      take_pieces(me, data.block().first, made.get());
    });
    surely_in_parts(on, block.size(), [&](const interval<>& part) {
      std::copy_n(made.get() + part.first, part.size(), block.data() + part.first);
    });
    return begins.back();
  } else {
    return count;  // there are no such data on several ranks
  }
}

}  // namespace pleat::detail::distribution
