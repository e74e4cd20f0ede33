// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// The root's `data` to all: `co_await pleat::broadcast(me, std::span(x), {.root = 3});`
///
/// Every rank of the segment awaits the operation, in the same order as its others, with the same
/// sizes and options. If a rank does not, or gives other ones, the run ends with an error that
/// names the operation; it does not hang. No rank's output overlaps memory of another rank. It
/// returns when this rank's part is done and nobody reads its memory any more; other ranks may not
/// have finished. Ranks are those of the segment, from 0.
///
/// Cost: n − 1 + ⌈log2 p⌉ rounds along a circulant graph, which is the least for any p and n; one
/// copy of each block a rank. collective_options::blocks is n. Of two ranks both copy a half of
/// what is large, in one round. Throws: usage_error for a root or segment there is not, and if
/// ranks give different sizes. Source: Träff, Optimal, Non-pipelined and pipelined broadcast
/// schedules on circulant graphs (2024).
template <detail::elements_to_write Data>
task<> broadcast(vp& me, Data&& data, collective_options options = {}) {
  return detail::run_broadcast(me, detail::writable(data), options);
}

}  // namespace pleat
