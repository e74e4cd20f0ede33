// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mpi.h>

#include "front.hpp"

namespace pleat::mpi {

/// Receives fronts by MPI from any rank, in the order in which they come: MPI gives them to the
/// requests in the order in which those were made, and we look at the oldest.
class fronts {
 public:
  explicit fronts(MPI_Comm comm) {
    for (place& one : places_) {
      MPI_Recv_init(one.content.data(), static_cast<int>(most_of_front), MPI_BYTE, MPI_ANY_SOURCE,
                    front_tag, comm, &one.request);
      MPI_Start(&one.request);
    }
  }
  fronts(const fronts&) = delete;
  fronts& operator=(const fronts&) = delete;
  /// Cancels what is pending before MPI ends, if nothing comes any more.
  void cancel() {
    for (place& one : places_) {
      if (!one.here) {
        MPI_Cancel(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&one.request);
    }
  }

  /// The next that has come, or null. It stays until it is taken().
  [[nodiscard]] const std::byte* poll() {
    place& one = places_[next_];
    if (!one.here) {
      int done = 0;
      MPI_Status status;
      MPI_Test(&one.request, &done, &status);
      if (done == 0) return nullptr;
      one.here = true;
      one.from = static_cast<std::size_t>(status.MPI_SOURCE);
    }
    return one.content.data();
  }
  [[nodiscard]] std::size_t source() const noexcept { return places_[next_].from; }
  void taken() {
    places_[next_].here = false;
    MPI_Start(&places_[next_].request);
    next_ = (next_ + 1) % places_.size();
  }

 private:
  struct place {
    alignas(64) std::array<std::byte, most_of_front> content;
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t from = 0;
    bool here = false;
  };
  std::array<place, 8> places_;
  std::size_t next_ = 0;
};

}  // namespace pleat::mpi
