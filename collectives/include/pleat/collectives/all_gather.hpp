// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Everybody's `mine` to all, in the order of the ranks: part r of `all` is what rank r gave. In
/// place: `mine` is that part of `all` itself.
///
/// Every rank of the segment awaits the operation, in the same order as its others, with the same
/// sizes and options. If a rank does not, or gives other ones, the run ends with an error that
/// names the operation; it does not hang. No rank's output overlaps memory of another rank. It
/// returns when this rank's part is done and nobody reads its memory any more; other ranks may not
/// have finished. Ranks are those of the segment, from 0.
///
/// Cost: all ranks' broadcasts at once, n − 1 + ⌈log2 p⌉ rounds along a circulant graph; each block
/// is copied once a rank. With collective_options::ports k > 1 Bruck's concatenation algorithm,
/// ⌈log_{k+1} p⌉ rounds. From 257 ranks on (blocks and ports not given): through a tree,
/// 3⌈log2 p⌉ rounds. Throws: usage_error for sizes that do not fit.
/// Source: Träff (2024), all-broadcast; Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient Algorithms
/// for All-to-All Communications in Multiport Message-Passing Systems (1997), section 4.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_gather(vp& me, In&& mine, Out&& all,
                                                          collective_options options = {}) {
  return detail::run_all_gather(me, detail::readable(mine), detail::writable(all), options);
}

/// The same with counts[r] elements from rank r, any of them 0. `counts` is the same on all ranks
/// and stays as it is till the operation is over.
///
/// Cost: as all_gather; irregular counts cost no more than regular ones of the same sum.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_gather_v(vp& me, In&& mine, Out&& all,
                                                            std::span<const std::size_t> counts,
                                                            collective_options options = {}) {
  return detail::run_all_gather_v(me, detail::readable(mine), detail::writable(all), counts,
                                  options);
}

}  // namespace pleat
