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
  binomial,    ///< binomial trees and butterflies, longest distances first: few messages
               ///< between aligned clusters of 2^k processes
  negabinary,  ///< the same with distances in base −2 ("Bine trees"): few messages between
               ///< clusters of consecutive processes, wherever these begin
  automatic,   ///< binomial where it has as few rounds and bytes, and near messages start in less
               ///< than half the time of far ones, as with several processes a node: among 2^k
               ///< processes in all_reduce, and with equal parts of processes in all_gather and
               ///< reduce_scatter, if neither blocks nor a cost are given; else circulant
};

/// Groups of consecutive processes, such as those of a node or a switch. The first process of the
/// segment has index `place` in its group.
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
/// - An operator is associative and may be called from several threads at once. It is used in rank
///   order, along a binary tree that depends on p alone: the ranks form the fewest blocks of 2^k
///   ranks, larger ones first; the sum of a block combines those of its halves, and the sums of
///   blocks are combined from first to last. So floating-point results have the same bits on all
///   ranks, in every run and on any number of processes and workers. If the operator commutes (see
///   `commutative`), the order is whatever is fastest, the same on all ranks.
/// - Throws usage_error for a root, a segment, sizes, counts or options that are invalid;
///   std::bad_alloc. A usage_error ends the run if they differ from another rank's, and so does an
///   exception of an operator.
/// - Costs are stated for p ranks and n blocks, q = ⌈log2 p⌉. Data are small up to 992 bytes a rank
///   if each rank has a worker of its own; else up to 64 bytes, and in scans and all reductions but
///   `reduce` only on at most 64 ranks. Where the ranks are in several processes, reductions and
///   scans have two levels: the m ranks of a process combine among themselves, in at most 2⌈log2 m⌉
///   rounds; then the first of them takes part for all in the rounds between the P processes, which
///   are stated separately. It keeps up to four times the data. If the operator does not commute
///   and these ranks form s ≤ 2⌈log2 m⌉ blocks, it keeps 2s + 1 times the data, and its part of all
///   processes' sums, in reduce_scatter_v perhaps all data; in scans s times the data and at most
///   4⌊log2 p⌋ + 4 times more. If `cost` favours gathering all processes' sums, it keeps these too.
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
  /// Number n of blocks of the circulant schedules. In one process they are used only if n is
  /// given, and in reductions only if the operator commutes. Some blocks are empty if there are
  /// fewer elements. At most 2^20, in all_reduce and reduce_scatter divided by the number of ranks,
  /// or of processes if there are several. 0: chosen from `cost` between processes.
  std::size_t blocks = 0;
  /// Schedule between processes; one that is asked for is used in reductions only if the operator
  /// commutes. Trees send data in one block, among P processes in ⌈log2 P⌉ rounds, in all_gather
  /// and reduce_scatter in one more unless P is a power of two; all_reduce is these two in turn,
  /// but `automatic` gathers small sums. Trees refuse an all_gather with several ports.
  collective_schedule schedule = collective_schedule::automatic;
  /// Groups of processes for trees; refused without trees. One process of each group sends to other
  /// groups: the root in its group, elsewhere the first. A broadcast has rounds between groups,
  /// then inside; an all_gather also has rounds inside before them. Reductions reverse this.
  process_groups groups = {};
  /// Radix r of the index algorithm, from 2 to the number of ranks, which sends directly. 0: chosen
  /// from `cost` between processes; in one process direct.
  unsigned radix = 0;
  /// Number k of messages that a rank sends at once in all_to_all and all_gather. More than the
  /// number of other ranks have no effect.
  unsigned ports = 1;
  /// Cost of a message between processes, from which the algorithm, blocks and radix are chosen.
  /// Unset: the cost that was measured when the machine was made.
  std::optional<message_cost> cost = {};
  /// Tells whether the operator commutes. Unset: as `commutes` says, but false for floating-point
  /// numbers, since they round. If it is true, the fastest order is used for these too.
  std::optional<bool> commutative = {};
  collective_traffic* traffic = nullptr;  ///< destination of the counts, if given
};

}  // namespace pleat
