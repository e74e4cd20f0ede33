// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// A VP's part in copying the blocks of all ranks to `to`, one behind the other, on every rank.
/// `block` is this rank's. One 0-superstep.
template <class T, class Out>
task<> gather_blocks(vp& me, const rank_places& places, std::size_t rank, std::span<const T> block,
                     Out to) {
  const bool first = me.rank() == places[rank].first;
  if (first && !block.empty()) {
    for (const rank_range& other : places) me.lend(other.first, block);
  }
  co_await me.sync(0);
  if (!first) co_return;
  for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
    const strided_view<const T> theirs = m->template view<const T>();
    to = std::copy_n(theirs.data, theirs.size(), to);
  }
}

}  // namespace pleat::detail::distribution
