// SPDX-License-Identifier: Apache-2.0
#include "in_flight.hpp"

#include "quiet.hpp"

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
  const auto probe = [&](auto call, auto... flag) {
    return call(on.place_of(from), on.own_tag(), on.own(), flag..., &status);
  };
  if (on.waits_alone()) {
    check(probe(PMPI_Probe));
  } else {
    int code = MPI_SUCCESS;
    int flag = 0;
    on.wait_until([&] { return (code = probe(PMPI_Iprobe, &flag)) != MPI_SUCCESS || flag != 0; });
    check(code);
  }
  return bytes_of(status);
}

void pending::wait(const communicator& on) {
  MPI_Status status{};
  if (!on.waits_alone()) on.wait_until([&] { return is_complete(request); });
  const quiet_requests until_done;
  check(PMPI_Wait(&request, &status));
  if (bytes != any && bytes_of(status) != bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
}

void pending::abandon() noexcept {
  if (request == MPI_REQUEST_NULL) return;  // its call failed
  PMPI_Cancel(&request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace pleat::preloaded
