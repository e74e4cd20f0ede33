// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <pleat/collectives/message_cost.hpp>
#include <pleat/runtime/segment.hpp>

namespace pleat {

/// Traffic of one virtual processor in an operation.
struct collective_traffic {
  std::uint64_t rounds = 0;  ///< steps of its schedule, including idle ones
  std::uint64_t blocks = 0;  ///< blocks received from others
  std::uint64_t bytes = 0;   ///< bytes in these blocks
  std::uint64_t copies = 0;  ///< copied or combined blocks, including its own

  friend bool operator==(const collective_traffic&, const collective_traffic&) = default;
};

/// Schedule of broadcasts, all-gathers and reductions between processes.
enum class collective_schedule : std::uint8_t {
  circulant,   ///< circulant graph: the fewest rounds, for any number of blocks
  binomial,    ///< binomial trees and butterflies, far messages first: few messages between
               ///< clusters of 2^k consecutive processes
  negabinary,  ///< the same with distances of base −2 ("Bine trees"): few between clusters that
               ///< begin anywhere
};

/// Groups of consecutive processes, as those of a node or a switch. The first process of the
/// segment is number `place` of its group.
struct process_groups {
  std::uint32_t size = 0;   ///< 0: no groups
  std::uint32_t place = 0;  ///< less than the size
};

/// The contract of every collective operation: broadcast, scatter, gather, all_gather, all_to_all,
/// reduce, all_reduce, reduce_scatter, scan, and their variants that end in _v.
///
/// - Every rank of the segment awaits the operation, in the same order as its other operations and
///   with the same sizes and options. If a rank omits it, the run ends with an error that names the
///   operation; it does not hang. Ranks are those of the segment, from 0.
/// - Buffers are contiguous memory that outlives the call: spans, and named vectors, std::arrays
///   and built-in arrays. No rank's output overlaps memory of another rank. A rank's own input and
///   output do not overlap, or are the same if the operation is documented as "in place".
/// - The operation returns when this rank's part is done and no other rank reads its memory; the
///   other ranks may not have finished.
/// - An operator is associative and may be called from several threads at once. It is used in the
///   order of the ranks, along a binary tree that depends on p alone: the ranks are divided into
///   the fewest blocks of 2^k ranks, larger ones first; of a block the halves are combined, and the
///   blocks from the first to the last. So floating-point results have the same bits on all ranks,
///   in every run and on any number of processes and workers. If the operator commutes (see
///   `commutative`), the order is whatever is fastest, the same on all ranks.
/// - Throws, in each program: usage_error for a root, a segment, sizes, counts or options that are
///   invalid, or differ from another rank's; std::bad_alloc. An exception of an operator ends the
///   run.
/// - Costs are stated for p ranks and n blocks, q = ⌈log2 p⌉. Small data are up to 992 bytes of
///   each rank if each has a worker of its own; else up to 64, and combined by all of at most 64
///   ranks. Where the ranks are in several processes, reductions and scans have two levels: the m
///   ranks of a process combine among themselves, in at most 2⌈log2 m⌉ rounds; then one of them
///   takes part for all in the rounds between the P processes, which are stated separately. It
///   keeps up to four times the data. If the operator does not commute, let s ≤ 2⌈log2 m⌉ be the
///   number of sums of its ranks' blocks: it keeps 2s + 1 times the data, and of the sums of all
///   processes those of its own part, which in reduce_scatter_v may be all data; for scans s times
///   the data and at most 4⌊log2 p⌋ + 4 times more. Sums that are gathered, if `cost` makes that
///   worth it, are kept too.
/// - On a machine that traces, every rank is a process of its own, so that all data moves in
///   messages, and algorithms are chosen for the default message_cost. Each round is a superstep,
///   see cost_trace; a scatter or gather is one, because none of its messages waits for another.
///   The sizes and options that strict mode compares are not counted.
///
/// The options are the same on all ranks, except `traffic`. An operation ignores options that it
/// does not need. In strict mode an operation first compares the sizes and options of all ranks,
/// and rejects outputs that overlap another rank's memory.
struct collective_options {
  std::optional<segment> within = {};  ///< VPs that take part; unset: all
  std::size_t root = 0;                ///< rank within the segment
  /// n of the circulant schedules, which one process takes only if it is given, and reductions only
  /// of operators that commute; blocks are empty if there are more than elements. At most 2^20, in
  /// all_reduce and reduce_scatter divided by the number of ranks; 0: between processes from
  /// `cost`.
  std::size_t blocks = 0;
  /// Schedule between processes, for reductions only of operators that commute. Trees send data in
  /// one block, among P processes in ⌈log2 P⌉ rounds; one more in all_gather and reduce_scatter,
  /// unless P is a power of two; all_reduce is both, one after the other. An all_gather with
  /// several ports is refused.
  collective_schedule schedule = collective_schedule::circulant;
  /// Groups of trees, refused without them. Only the first process of each, and the root, sends to
  /// others. Rounds are those inside a group if all broadcast, then those among the first ones, and
  /// those inside a group.
  process_groups groups = {};
  /// r of the index algorithm, 2 … size: size sends directly; 0: directly, and between processes
  /// from `cost`.
  unsigned radix = 0;
  /// k: number of messages at once in all_to_all and all_gather, which use at most as many as there
  /// are other ranks.
  unsigned ports = 1;
  /// Cost for which algorithm, blocks and radix are chosen between processes. Unset: what was
  /// measured between them when the machine was made.
  std::optional<message_cost> cost = {};
  /// Commutativity of the operator; unset: as `commutes` says, and false of floating-point numbers,
  /// since they round. True has these combined in the order that is fastest.
  std::optional<bool> commutative = {};
  collective_traffic* traffic = nullptr;  ///< destination of the counts, if given
};

}  // namespace pleat
