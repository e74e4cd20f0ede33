// SPDX-License-Identifier: Apache-2.0
#include "in_flight.hpp"

namespace pleat::preloaded {

void pending::wait() {
  MPI_Status status{};
  check(PMPI_Wait(&request, &status));
  if (bytes == any) return;
  int come = 0;
  check(PMPI_Get_count(&status, MPI_BYTE, &come));
  if (static_cast<std::size_t>(come) != bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
}

void pending::abandon() noexcept {
  if (request == MPI_REQUEST_NULL) return;  // its call failed
  PMPI_Cancel(&request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace pleat::preloaded
