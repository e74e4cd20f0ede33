// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <new>

#include "communicator.hpp"
#include "failure.hpp"

namespace pleat::preloaded {

/// A collective call of the program: ours(communicator) carries it out, or returns false before it
/// has sent anything, and then the MPI does, by mpi_s_own(). Errors reach the communicator's error
/// handler, as the MPI's do.
template <class Ours, class Own> int interposed(MPI_Comm comm, const Ours& ours, const Own& own) {
  int code = MPI_SUCCESS;
  try {
    communicator* const on = communicator::of(comm);
    if (on == nullptr || !ours(*on)) return own();
  } catch (const mpi_failure& failure) {
    code = failure.code;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  }
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

/// May these arguments be looked at? If not, the MPI says what is wrong with them.
[[nodiscard]] inline bool proper(MPI_Count count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL && communicator::may_send(type);
}

[[nodiscard]] inline std::size_t bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  check(PMPI_Type_size_x(type, &size));
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

}  // namespace pleat::preloaded
