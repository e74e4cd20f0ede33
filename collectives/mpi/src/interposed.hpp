// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    if (!carried_out) {
      code = own();
      // Other ranks may have carried it out here, if the arguments of this one are wrong.
      if (code != MPI_SUCCESS && on != nullptr) on->keep_tag();
      return code;
    }
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

}  // namespace pleat::preloaded
