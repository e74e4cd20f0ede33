// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Gathers every rank's `mine` on all ranks, in the order of the ranks: part r of `all` is the
/// `mine` of rank r. In place: `mine` is the rank's own part of `all`. The contract of all
/// operations: collective_options.hpp.
///
/// Cost: in one process each rank copies from all, between two barriers that take 2⌈log2 p⌉ rounds;
/// for small data one barrier is enough. If blocks are given, all ranks broadcast at once, in n − 1
/// + ⌈log2 p⌉ rounds along a circulant graph. With collective_options::ports k > 1 it is Bruck's
/// concatenation algorithm, in ⌈log_{k+1} p⌉ rounds.
/// Between P processes: n − 1 + ⌈log2 P⌉ rounds; n, if not given, is chosen for
/// collective_options::cost. Throws: usage_error for sizes that do not fit.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, Algorithm 7 (all-broadcast). With ports:
/// Jehoshua Bruck, Ching-Tien Ho, Shlomo Kipnis, Eli Upfal, Derrick Weathersby, Efficient
/// Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997,
/// doi:10.1109/71.642949, section 4.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_gather(vp& me, In&& mine, Out&& all,
                                                          collective_options options = {}) {
  return detail::run_all_gather(me, detail::readable(mine), detail::writable(all), options);
}

/// Gathers counts[r] elements, possibly 0, from rank r on all ranks. `counts` is the same on all
/// ranks, and does not change until the operation is over.
///
/// Cost: as all_gather. Irregular counts cost no more than regular ones of the same sum, except
/// with ports, where each rank's block is sent whole.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_gather_v(vp& me, In&& mine, Out&& all,
                                                            std::span<const std::size_t> counts,
                                                            collective_options options = {}) {
  return detail::run_all_gather(me, detail::readable(mine), detail::writable(all), options, counts);
}

}  // namespace pleat
