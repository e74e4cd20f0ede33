// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Sends part q of every rank's `in` to rank q: on rank q, part r of `out` is part q of the `in` of
/// rank r. All parts have the same size. In place: `out` is `in` (which is copied first). The
/// contract of all operations: collective_options.hpp.
///
/// Cost: in one process each rank copies from all, between two barriers that take 2⌈log2 p⌉ rounds;
/// for small data one barrier is enough. With a radix r < p Bruck's index algorithm takes ⌈(r −
/// 1)/k⌉·⌈log_r p⌉ rounds with k ports, and copies each part in most of them.
/// Between P processes, if some have several ranks: as all_to_all_v. If none has: the index
/// algorithm, where r = p sends each part directly, in ⌈(p − 1)/k⌉ rounds; unless the radix is
/// given, it is the best one for the size by collective_options::cost.
/// Throws: usage_error for sizes that do not fit, and for an invalid radix.
///
/// Source: Jehoshua Bruck, Ching-Tien Ho, Shlomo Kipnis, Eli Upfal, Derrick Weathersby, Efficient
/// Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997,
/// doi:10.1109/71.642949, section 3.
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_to_all(vp& me, In&& in, Out&& out,
                                                          collective_options options = {}) {
  return detail::run_all_to_all(me, detail::readable(in), detail::writable(out), options);
}

/// Sends sent[q] elements to rank q and receives received[r] elements from rank r; a count may be
/// 0. The count that one rank sends to another must be the count that the other receives.
///
/// Cost: in one process each rank copies from all, between two barriers that take 2⌈log2 p⌉ rounds.
/// Between P processes, all data from one to another is one block. With radix r of the options and
/// k ports there are ⌈(r − 1)/k⌉·⌈log_r P⌉ rounds, each of two messages: the sizes of blocks, then
/// the blocks. r ≥ P sends directly in ⌈(P − 1)/k⌉ rounds. If no radix is given, blocks are sent
/// directly if this takes at most 3⌈log2 P⌉ rounds; else ⌈log2 P⌉ rounds find the average size of
/// blocks, from which `cost` chooses the radix.
/// Throws: usage_error for sizes that do not fit, and for an invalid radix.
///
/// Source: between processes Ke Fan, Steve Petruzza, Thomas Gilray, Sidharth Kumar, 2024,
/// arXiv:2411.02581 (tunable non-uniform all-to-all).
template <detail::elements_to_read In, detail::elements_to_write Out>
requires detail::same_elements<In, Out> task<> all_to_all_v(vp& me, In&& in, Out&& out,
                                                            std::span<const std::size_t> sent,
                                                            std::span<const std::size_t> received,
                                                            collective_options options = {}) {
  return detail::run_all_to_all(me, detail::readable(in), detail::writable(out), options, sent,
                                received);
}

}  // namespace pleat
