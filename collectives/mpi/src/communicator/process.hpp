// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <vector>

namespace pleat::preloaded {

/// Makes what lasts as long as the process: the communicator of all our messages, with the ranks of
/// MPI_COMM_WORLD, and the settings of its rank 0 for all. Nothing of it is freed, because
/// MPI_Finalize calls functions of the program that may still communicate. Collective over
/// MPI_COMM_WORLD. Called right after MPI_Init: without it all calls are the MPI's. Throws:
/// std::bad_alloc.
void begin();

/// State that begin() makes and nobody changes.
struct process {
  int key = MPI_KEYVAL_INVALID;     ///< of our attribute of communicators
  MPI_Comm own = MPI_COMM_NULL;     ///< its errors are returned
  MPI_Comm itself = MPI_COMM_NULL;  ///< for messages of this rank to itself
  bool with_threads = false;        ///< MPI_THREAD_MULTIPLE
  std::vector<int> nodes;           ///< of each rank of `own`: the first rank of its node
  bool has_ours = false;            ///< calls may be carried out here, on some communicator
  /// Non-blocking calls may be carried out here, on some communicator: settings allow it, and the
  /// program of some rank refers to such calls. The same on all ranks.
  bool has_non_blocking = false;
};
[[nodiscard]] const process& here() noexcept;
[[nodiscard]] inline bool begun() noexcept { return here().key != MPI_KEYVAL_INVALID; }

/// Makes a communicator of the same ranks. MPI_Comm_dup is avoided, because it calls the program's
/// functions that copy attributes. Collective. Throws: mpi_failure.
[[nodiscard]] MPI_Comm made_like(MPI_Comm comm);

/// Tells whether all ranks of a communicator, of both groups if it has two, are in this
/// MPI_COMM_WORLD: not if some were started later, or elsewhere. `places`, if not null, becomes the
/// ranks of its own group in `own`. Throws: mpi_failure.
[[nodiscard]] bool all_are_here(MPI_Comm comm, std::vector<int>* places);

}  // namespace pleat::preloaded
