// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Makes errors of requests return as long as it lives. MPICH hands them to the handler of
/// MPI_COMM_WORLD instead of that of the request's communicator: it is MPI_ERRORS_RETURN meanwhile,
/// unless other threads may call MPI, whose errors it would hide. For Open MPI it does nothing.
class quiet_requests {
 public:
  quiet_requests() {
#ifdef MPICH_VERSION
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) return;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
  }
  quiet_requests(const quiet_requests&) = delete;
  quiet_requests& operator=(const quiet_requests&) = delete;
  ~quiet_requests() {
    if (handler_ == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
    PMPI_Errhandler_free(&handler_);
  }

 private:
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace pleat::preloaded
