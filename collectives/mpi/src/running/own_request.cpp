// SPDX-License-Identifier: Apache-2.0
#include "running/own_request.hpp"

#include <bit>
#include <cstddef>
#include <mutex>
#include <vector>

#include "communicator/process.hpp"
#include "errors/failure.hpp"

namespace pleat::preloaded {

namespace {

struct tags {
  std::mutex guard;
  std::vector<int> free;
  int next = 0;
};
tags& all_tags() {
  static auto& one = *new tags;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

}  // namespace

own_request::own_request() {
  const std::lock_guard lock(all_tags().guard);
  if (all_tags().free.empty()) {
    tag_ = all_tags().next++;
    all_tags().free.reserve(std::bit_ceil(static_cast<std::size_t>(tag_) + 1));  // the end has room
  } else {
    tag_ = all_tags().free.back();
    all_tags().free.pop_back();
  }
}

own_request::~own_request() {
  const std::lock_guard lock(all_tags().guard);
  all_tags().free.push_back(tag_);
}

MPI_Request own_request::active() const {
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag_, here().itself, &made));
  return made;
}

MPI_Request own_request::persistent() const {
  MPI_Request made = MPI_REQUEST_NULL;
  check(PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, here().itself, &made));
  return made;
}

void own_request::complete(bool failed) const noexcept {
  const char too_long = 0;
  PMPI_Send(&too_long, failed ? 1 : 0, MPI_BYTE, 0, tag_, here().itself);
}

}  // namespace pleat::preloaded
