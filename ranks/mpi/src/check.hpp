// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <mpi.h>

namespace pleat::mpi {

/// Says that MPI has not begun, or has ended.
inline constexpr const char* while_mpi_lasts =
    "a machine over ranks is made and used between MPI_Init_thread and MPI_Finalize";

/// Checks the result of a call of MPI on a communicator of the program's, whose errors may be
/// returned. Throws: environment_error with the MPI's words.
void check(int code);

/// Collective: throws on all processes if there is a failure on one of them: there, that failure;
/// on the others an environment_error with the words of the first of them. Returns whether all have
/// the same `number`.
bool agree(MPI_Comm all, const std::exception_ptr& failed, int number = 0);

/// Rank of the calling process in a communicator. Throws: as check.
inline std::size_t rank_in(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank));
  return static_cast<std::size_t>(rank);
}
inline std::size_t size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size));
  return static_cast<std::size_t>(size);
}

}  // namespace pleat::mpi
