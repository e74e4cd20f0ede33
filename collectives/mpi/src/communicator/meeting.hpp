// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mpi.h>
#include <mutex>

#include "communicator/communicator.hpp"
#include "errors/errors.hpp"
#include "running/progress.hpp"

// Collective calls that wait and that the MPI carries out. A rank that waited in one for others
// could be what they wait for, in calls of ours that are running. So the ranks meet before.
namespace pleat::preloaded {

/// Waits for a request of a call on `comm`, while calls make progress.
[[nodiscard]] inline int finished(MPI_Comm comm, MPI_Request request) {
  progress_until([&] { return is_complete(request); });
  const quiet_requests until_done;
  const int code = PMPI_Wait(&request, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS && quiet_requests::hides_errors()) report_failure(comm, code);
  return code;
}

/// Waits until all ranks have come, while calls make progress. Where no rank can have running calls
/// it does nothing: all ranks know that alike.
inline void meet(MPI_Comm comm) {
  if (!communicator::may_have_running_calls(comm)) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(comm, &request) == MPI_SUCCESS) (void)finished(comm, request);
}

/// Completes the calls that are running on a communicator, which the program frees.
inline void complete_calls(MPI_Comm comm) {
  if (!others_run() || !communicator::may_have_running_calls(comm)) return;
  const agreement& with = *communicator::shared(comm);
  progress_until([&] { return with.running == 0; });
}

/// Communicators to meet on, of windows or of files, which do not give theirs away.
template <class Handle> class meeting_places {
 public:
  /// Makes one like `comm`, collectively, if ranks must meet. Throws: mpi_failure, std::bad_alloc.
  static void make(Handle of, MPI_Comm comm) {
    if (!communicator::may_have_running_calls(comm)) return;
    MPI_Comm& place = place_of(of);  // before anything is made
    place = made_like(comm);
  }
  /// The one of a handle; MPI_COMM_NULL if there is none.
  static MPI_Comm of(Handle of) {
    const std::lock_guard lock(places().guard);
    const auto at = places().comms.find(of);
    return at == places().comms.end() ? MPI_COMM_NULL : at->second;
  }
  /// Calls free(), which frees the window or file, when ranks have met; then the place.
  template <class Free> static int end(Handle of, const Free& free) {
    MPI_Comm comm = meeting_places::of(of);
    meet(comm);
    const int code = free();
    if (comm == MPI_COMM_NULL || code != MPI_SUCCESS) return code;
    PMPI_Comm_free(&comm);
    const std::lock_guard lock(places().guard);
    places().comms.erase(of);
    return code;
  }

 private:
  static MPI_Comm& place_of(Handle of) {
    const std::lock_guard lock(places().guard);
    return places().comms.try_emplace(of, MPI_COMM_NULL).first->second;
  }
  struct all {
    std::mutex guard;
    std::map<Handle, MPI_Comm> comms;
  };
  static all& places() {
    static auto& one = *new all;  // NOLINT(cppcoreguidelines-owning-memory)
    return one;
  }
};

}  // namespace pleat::preloaded
