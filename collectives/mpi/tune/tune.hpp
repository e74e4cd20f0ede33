// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <string>

namespace pleat::preloaded {

/// Sizes to be timed, from 2^least to 2^most bytes, and the number of repetitions.
struct tuning {
  unsigned least = 10;
  unsigned most = 22;
  int repetitions = 11;
};

/// Measures the cost of messages between these ranks, and returns the first lines of a table for
/// PLEAT_MPI_TABLE: its `writer`, and that cost. From then on this library carries out all
/// collective operations, with blocks chosen by that cost: call it in a process that only tunes.
/// Collective. Requires: two ranks at least, MPI initialised, no earlier call of this library.
[[nodiscard]] std::string begin_tuning(MPI_Comm all, const std::string& writer);

/// Times every operation on the ranks of `comm`, by the MPI's own algorithm and by ours with its
/// fastest window and number of blocks. Returns the rows for this number of ranks, with the times
/// as comments, the same on all ranks. Collective. Throws: pleat::error, on all ranks, if a result
/// of ours differs from the MPI's.
[[nodiscard]] std::string tuned_rows(MPI_Comm comm, const tuning& asked);

}  // namespace pleat::preloaded
