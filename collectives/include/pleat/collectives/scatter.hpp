// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Part r of the root's `all` to rank r, as `mine`. Others' `all` is not looked at. In place:
/// the root's `mine` is its part of `all`.
///
/// Every rank of the segment awaits the operation, in the same order as its others, with the same
/// sizes and options. If a rank does not, or gives other ones, the run ends with an error that
/// names the operation; it does not hang. No rank's output overlaps memory of another rank. It
/// returns when this rank's part is done and nobody reads its memory any more; other ranks may not
/// have finished. Ranks are those of the segment, from 0.
///
/// Cost: one copy of each part, by its receiver, all at the same time; the root names the places,
/// for the farthest in the tree of clusters first, which is optimal on every tree.
/// Throws: usage_error for a root or sizes that do not fit.
/// Source: Bhatt, Pucci, Ranade, Rosenberg, Scattering and Gathering Messages in Networks of
/// Processors (1993), theorem 1.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> scatter(vp& me, In&& all, Out&& mine,
                                                       collective_options options = {}) {
  return detail::run_scatter(me, detail::readable(all), detail::writable(mine), options);
}

/// The same with counts[r] elements for rank r, any of them 0; the same counts on all ranks.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> scatter_v(vp& me, In&& all, Out&& mine,
                                                         std::span<const std::size_t> counts,
                                                         collective_options options = {}) {
  return detail::run_scatter_v(me, detail::readable(all), detail::writable(mine), counts, options);
}

}  // namespace pleat
