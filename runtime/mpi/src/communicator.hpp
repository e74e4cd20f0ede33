// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>

namespace pleat::mpi {

/// Rank of the calling process in a communicator of ours.
inline std::size_t rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return static_cast<std::size_t>(rank);
}
inline std::size_t size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

}  // namespace pleat::mpi
