// SPDX-License-Identifier: Apache-2.0
#include "in_flight.hpp"

namespace pleat::preloaded {

namespace {

std::size_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

std::size_t arriving_bytes(const communicator& on, std::uint32_t from) {
  MPI_Status status{};
  check(PMPI_Probe(on.place_of(from), on.tag_of(on.rank()), on.own(), &status));
  return bytes_of(status);
}

void pending::wait() {
  MPI_Status status{};
  check(PMPI_Wait(&request, &status));
  if (bytes != any && bytes_of(status) != bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
}

void pending::abandon() noexcept {
  if (request == MPI_REQUEST_NULL) return;  // its call failed
  PMPI_Cancel(&request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace pleat::preloaded
