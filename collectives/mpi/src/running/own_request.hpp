// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Request of the MPI that stands for a call of ours, so that all of its functions know it: receipt
/// of an empty message of this rank to itself, which is sent when the call has ended.
///
/// Thread safety: each object one thread at a time.
class own_request {
 public:
  own_request();
  own_request(const own_request&) = delete;
  own_request& operator=(const own_request&) = delete;
  ~own_request();

  /// Makes a request that is active, or a persistent one that is not yet. Throw: mpi_failure.
  [[nodiscard]] MPI_Request active() const;
  [[nodiscard]] MPI_Request persistent() const;

  /// Completes the active request. If the call has failed, the message is too long, and waiting for
  /// the request has an error of class MPI_ERR_TRUNCATE.
  void complete(bool failed) const noexcept;

 private:
  int tag_;
};

}  // namespace pleat::preloaded
