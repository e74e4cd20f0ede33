// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A VP's part in telling all ranks a number of each rank: [rank]. One 0-superstep.
inline task<> tell_all_ranks(vp& me, const rank_places& places, std::size_t rank,
                             std::uint64_t mine, std::vector<std::uint64_t>& all) {
  const bool first = me.rank() == places[rank].first;
  if (first) {
    for (const rank_range& other : places) me.send(other.first, mine);
  }
  co_await me.sync(0);
  if (!first) co_return;
  all.clear();
  for (auto m = me.receive(); m; m = me.receive())  // in the order of the ranks
    all.push_back(m->get<std::uint64_t>());
}

/// The same as the first run of a call, in which the ranks meet.
inline std::vector<std::uint64_t> numbers_of_ranks(collective_call& call, std::size_t rank,
                                                   std::uint64_t mine) {
  std::vector<std::uint64_t> all;
  call.run([&](vp& me, const rank_places& places) {
    return tell_all_ranks(me, places, rank, mine, all);
  });
  return all;
}

}  // namespace pleat::detail::distribution
