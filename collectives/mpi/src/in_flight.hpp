// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "failure.hpp"

namespace pleat::preloaded {

/// Requests that have begun and are waited for in the order they began, at most `Most` at a time.
/// Those that an exception leaves are cancelled and waited for: declared behind the memory that
/// they use, they have ended when it is freed.
template <std::size_t Most> class in_flight {
 public:
  in_flight() = default;
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  ~in_flight() {
    for (; ended_ < begun_; ++ended_) {
      MPI_Request& left = requests_[ended_ % Most];
      if (left == MPI_REQUEST_NULL) continue;  // its call failed, or was never reached
      PMPI_Cancel(&left);
      PMPI_Wait(&left, MPI_STATUS_IGNORE);
    }
  }

  /// Where the next request goes; waits for the oldest one if there are `Most`.
  [[nodiscard]] MPI_Request* next() {
    if (begun_ - ended_ == Most) wait_oldest();
    MPI_Request& request = requests_[begun_++ % Most];
    request = MPI_REQUEST_NULL;
    return &request;
  }
  void wait_oldest() { check(PMPI_Wait(&requests_[ended_++ % Most], MPI_STATUS_IGNORE)); }
  void wait_all() {
    while (ended_ < begun_) wait_oldest();
  }

 private:
  std::array<MPI_Request, Most> requests_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace pleat::preloaded
