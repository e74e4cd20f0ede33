// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A VP's part in telling all ranks a value of each rank, in their order. One 0-superstep, after
/// which the first VP of each rank calls use(values).
template <byte_copyable T, class Use>
task<> tell_all_ranks(vp& me, const rank_places& places, std::size_t rank, const T& mine,
                      const Use& use) {
  const bool first = me.rank() == places[rank].first;
  if (first) {
    for (const rank_range& other : places) me.send(other.first, mine);
  }
  co_await me.sync(0);
  if (!first) co_return;
  std::vector<T> all;
  for (auto m = me.receive(); m; m = me.receive()) all.push_back(m->template get<T>());
  use(std::as_const(all));
}

/// The values of all ranks, from the first run of a call, in which they meet.
template <byte_copyable T, class Call> std::vector<T> values_of_ranks(Call& call, const T& mine) {
  std::vector<T> all;
  const auto take = [&all](const std::vector<T>& values) { all = values; };
  call.run([&](vp& me, const rank_places& places) {
    return distribution::tell_all_ranks(me, places, call.rank(), mine, take);
  });
  return all;
}

}  // namespace pleat::detail::distribution
