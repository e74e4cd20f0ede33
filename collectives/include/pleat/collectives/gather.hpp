// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Gathers every rank's `mine` at the root: part r of its `all` is the `mine` of rank r. The `all`
/// of other ranks is ignored. In place: the root's `mine` is its part of `all`. The contract of all
/// operations: collective_options.hpp.
///
/// Cost: one copy of each part, all at the same time. Each sender copies its part to the place that
/// the root names.
/// Throws: usage_error for a root or sizes that do not fit.
///
/// Source: Sandeep N. Bhatt, Geppino Pucci, Abhiram Ranade, Arnold L. Rosenberg, Scattering and
/// Gathering Messages in Networks of Processors, 1993, doi:10.1109/12.238484, section 3.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> gather(vp& me, In&& mine, Out&& all,
                                                      collective_options options = {}) {
  return detail::run_rooted(me, true, detail::readable(mine), detail::writable(all), options);
}

/// Gathers counts[r] elements, possibly 0, from rank r. All ranks pass the same counts.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> gather_v(vp& me, In&& mine, Out&& all,
                                                        std::span<const std::size_t> counts,
                                                        collective_options options = {}) {
  return detail::run_rooted(me, true, detail::readable(mine), detail::writable(all), options,
                            counts);
}

}  // namespace pleat
