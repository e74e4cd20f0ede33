// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <new>

#include "communicator.hpp"
#include "failure.hpp"
#include "quiet.hpp"
#include "tally.hpp"

namespace pleat::preloaded {

/// Performs a collective call of the program. ours(communicator) carries it out, or returns false
/// before it has sent anything; then own(), the MPI's, carries it out. Errors reach the
/// communicator's error handler, as the MPI's do.
template <class Ours, class Own>
int interposed(operation what, MPI_Comm comm, const Ours& ours, const Own& own) {
  int code = MPI_SUCCESS;
  communicator* on = nullptr;
  try {
    on = communicator::of(comm);
    const bool carried_out = on != nullptr && [&] {
      const quiet_requests until_done;
      return ours(*on);
    }();
    count_call(what, carried_out);
    if (!carried_out) return own();
  } catch (const mpi_failure& failure) {
    code = failure.code;
  } catch (const std::bad_alloc&) {
    code = MPI_ERR_NO_MEM;
  }
  if (code != MPI_SUCCESS) {
    if (on != nullptr) on->keep_tag();
    PMPI_Comm_call_errhandler(comm, code);
  }
  return code;
}

/// Tells whether these arguments are valid; if not, the MPI reports what is wrong with them.
[[nodiscard]] inline bool proper(MPI_Count count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL && communicator::may_send(type);
}

/// Tells whether there is data at no address, which the MPI refuses. (MPI_BOTTOM is null: types may
/// have addresses.)
[[nodiscard]] inline bool absent(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (buffer != nullptr || count == 0) return false;
  MPI_Count size = 0;
  MPI_Count first = 0;
  MPI_Count extent = 0;
  return PMPI_Type_size_x(type, &size) == MPI_SUCCESS && size != 0 &&
         PMPI_Type_get_true_extent_x(type, &first, &extent) == MPI_SUCCESS && first == 0;
}

[[nodiscard]] inline std::size_t bytes_of(MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  check(PMPI_Type_size_x(type, &size));
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

}  // namespace pleat::preloaded
