// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Copies part r of the root's `all` to `mine` of rank r. The `all` of other ranks is ignored. In
/// place: the root's `mine` is its part of `all`. The contract of all operations:
/// collective_options.hpp.
///
/// Cost: one copy of each part, by its receiver, all at the same time. The root names the places,
/// first to the ranks that are farthest in the tree of clusters, which is optimal on every tree.
/// Throws: usage_error for a root or sizes that do not fit.
///
/// Source: Sandeep N. Bhatt, Geppino Pucci, Abhiram Ranade, Arnold L. Rosenberg, Scattering and
/// Gathering Messages in Networks of Processors, 1993, doi:10.1109/12.238484, Theorem 1.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> scatter(vp& me, In&& all, Out&& mine,
                                                       collective_options options = {}) {
  return detail::run_rooted(me, false, detail::readable(all), detail::writable(mine), options);
}

/// Scatters counts[r] elements, possibly 0, to rank r. All ranks pass the same counts.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> scatter_v(vp& me, In&& all, Out&& mine,
                                                         std::span<const std::size_t> counts,
                                                         collective_options options = {}) {
  return detail::run_rooted(me, false, detail::readable(all), detail::writable(mine), options,
                            counts);
}

}  // namespace pleat
