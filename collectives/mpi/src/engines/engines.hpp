// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "communicator/communicator.hpp"
#include "data/elements.hpp"
#include "running/task.hpp"

namespace pleat::preloaded {

// Algorithms of the collective calls: coroutines, which use what their arguments point to until
// they end, and are suspended where they wait for messages. In a round a rank sends one message and
// receives one, or none. All ranks call with the same n and the same sizes. Throw: mpi_failure,
// std::bad_alloc.
//
// With n blocks, broadcasts and reductions take n − 1 + ⌈log2 p⌉ rounds. Source: Jesper Larsson
// Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
// All-Broadcast, Reduction and All-Reduction, 2024, doi:10.48550/arXiv.2407.18004.

/// Contribution of one rank, and where it lies in this one.
struct part {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Broadcasts the data, one part, from the root to all ranks.
task broadcast(communicator& on, operation what, std::uint32_t root, std::span<const part, 1> data,
               std::size_t blocks);

/// Broadcasts each rank's part to all ranks; parts[r] is rank r's. Requires: one for each rank;
/// this rank's own is in its place.
task all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks);

/// Exchanges a block between each two ranks: out[r] goes to rank r, in[r] comes from it. If all
/// ranks know them, sizes[r] are the bytes of each block for rank r; else `sizes` is empty, and the
/// sizes of blocks that are sent on travel in front of them. Takes (radix − 1)⌈log_radix p⌉ rounds
/// or less; with radix p, blocks go straight to their ranks.
///
/// Sources: index_schedule; for blocks of any sizes, Ke Fan and others, Configurable Non-uniform
/// All-to-all Algorithms, 2024, doi:10.48550/arXiv.2411.02581.
task exchange(communicator& on, operation what, std::span<const part> out, std::span<const part> in,
              std::span<const std::size_t> sizes, std::size_t radix);

/// Gathers each rank's part at the root on a binomial tree, in ⌈log2 p⌉ rounds. parts[r] is the
/// place of rank r's at the root; the root's own is in its place. The sizes of parts are known to
/// the root and to their ranks.
task gather_parts(communicator& on, operation what, std::uint32_t root, part mine,
                  std::span<const part> parts);

/// Sends parts[r] of the root to each other rank r, into `mine`, on the same tree. If all ranks
/// know them, sizes[r] are the bytes of parts; else `sizes` is empty, and the sizes for ranks below
/// the receiver travel in front of their parts.
task scatter_parts(communicator& on, operation what, std::uint32_t root,
                   std::span<const part> parts, part mine, std::span<const std::size_t> sizes);

/// Operator of the MPI's or the program's, and the type it combines.
struct combining {
  MPI_Op op;
  const element_type* of;

  /// there[i] = here[i] op there[i]
  void operator()(elements here, elements there, std::size_t count) const;
};

/// Combines `count` elements of all ranks at the root into `sum`; the operator commutes. `in` is
/// left as it is, unless it is `sum`. On other ranks `sum` is memory to work with.
task reduce(communicator& on, operation what, std::uint32_t root, elements in, elements sum,
            std::size_t count, combining op, std::size_t blocks);

/// Combines part r, counts[r] elements, of the elements of all ranks on rank r; the operator
/// commutes. Parts lie one behind the other in `in` and in `sums`, which is memory to work with, or
/// `in` itself.
task reduce_parts(communicator& on, operation what, elements in, elements sums,
                  std::span<const std::size_t> counts, combining op, std::size_t blocks);

/// Combines this rank's part in the order of ranks, for operators that do not commute, into `own`,
/// which may be in `in`. Exchanges the parts in a radix first.
task reduce_parts_in_order(communicator& on, operation what, elements in, elements own,
                           std::span<const std::size_t> counts, combining op, std::size_t radix);

/// Combines `count` elements of the ranks up to this one, in their order, in ⌈log2 p⌉ rounds. `sum`
/// has this rank's own at first.
task scan_up_to(communicator& on, operation what, elements sum, std::size_t count, combining op);

/// Combines `count` elements of all ranks before this one, in the order of ranks, into `before`,
/// which rank 0 leaves as it is. Takes ⌈log2(p − 1) + log2(4/3)⌉ rounds and combines once in each;
/// with ⌈log2 p⌉ rounds, which can be one less, it would be twice.
///
/// Source: Jesper Larsson Träff, 2025, doi:10.48550/arXiv.2507.04785 (123-doubling).
task scan_before(communicator& on, operation what, elements own, elements before, std::size_t count,
                 combining op);

}  // namespace pleat::preloaded
