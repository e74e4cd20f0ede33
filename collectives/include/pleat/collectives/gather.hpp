// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Every rank's `mine` to the root: part r of its `all` is what rank r gave. Others' `all` is not
/// looked at. In place: the root's `mine` is its part of `all`.
///
/// Every rank of the segment awaits the operation, in the same order as its others, with the same
/// sizes and options. If a rank does not, or gives other ones, the run ends with an error that
/// names the operation; it does not hang. No rank's output overlaps memory of another rank. It
/// returns when this rank's part is done and nobody reads its memory any more; other ranks may not
/// have finished. Ranks are those of the segment, from 0.
///
/// Cost: one copy of each part, by its sender, all at the same time, into the place the root names.
/// Throws: usage_error for a root or sizes that do not fit.
/// Source: Bhatt, Pucci, Ranade, Rosenberg, Scattering and Gathering Messages in Networks of
/// Processors (1993).
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> gather(vp& me, In&& mine, Out&& all,
                                                      collective_options options = {}) {
  return detail::run_gather(me, detail::readable(mine), detail::writable(all), options);
}

/// The same with counts[r] elements from rank r, any of them 0; the same counts on all ranks.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> gather_v(vp& me, In&& mine, Out&& all,
                                                        std::span<const std::size_t> counts,
                                                        collective_options options = {}) {
  return detail::run_gather_v(me, detail::readable(mine), detail::writable(all), counts, options);
}

}  // namespace pleat
