// SPDX-License-Identifier: Apache-2.0
#include "engines/in_flight.hpp"

#include <algorithm>

namespace pleat::preloaded {

namespace {

std::size_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

bool arriving::is_over() noexcept {
  code_ = PMPI_Iprobe(on_->place_of(from_), on_->own_tag(), on_->own(), &here_, &status_);
  return code_ != MPI_SUCCESS || here_ != 0;
}

std::size_t arriving::await_resume() {
  check(code_);
  if (here_ == 0) check(PMPI_Probe(on_->place_of(from_), on_->own_tag(), on_->own(), &status_));
  return bytes_of(status_);
}

in_flight::~in_flight() {
  for (; ended_ < begun_; ++ended_) {
    MPI_Request& request = message(ended_).request;
    if (request == MPI_REQUEST_NULL) continue;  // its call failed
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

bool in_flight::are_complete(std::size_t number) noexcept {
  complete_ = std::max(complete_, ended_);
  while (complete_ < number && is_complete(message(complete_).request)) ++complete_;
  return complete_ >= number;
}

void in_flight::end_oldest() {
  pending& oldest = message(ended_++);
  MPI_Status status{};
  const quiet_requests until_done;
  check(PMPI_Wait(&oldest.request, &status));
  if (oldest.bytes != any && bytes_of(status) != oldest.bytes) throw mpi_failure{MPI_ERR_TRUNCATE};
}

}  // namespace pleat::preloaded
