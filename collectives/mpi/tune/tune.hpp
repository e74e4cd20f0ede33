// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <string>

namespace pleat::preloaded {

/// Sizes to be timed, powers of two of bytes, and how often.
struct tuning {
  unsigned least = 10;
  unsigned most = 22;
  int repetitions = 11;
};

/// The first lines of a table for PLEAT_MPI_TABLE: `writer` wrote it, and what messages between
/// these ranks cost, which is measured. From now on all collective operations of this library are
/// carried out by it, with blocks by that cost: for a process that does nothing else.
/// Collective. Requires: two ranks at least, MPI at work, no call of this library so far.
[[nodiscard]] std::string begin_tuning(MPI_Comm all, const std::string& writer);

/// The rows for as many ranks as `comm` has, which are timed: every operation, in turns by the
/// MPI's own algorithm and by ours, with the window and the number of blocks that are fastest; as
/// comments the times, which are the same on all ranks. Collective. Throws: pleat::error, on all
/// ranks, if a result of ours is not the MPI's.
[[nodiscard]] std::string tuned_rows(MPI_Comm comm, const tuning& asked);

}  // namespace pleat::preloaded
