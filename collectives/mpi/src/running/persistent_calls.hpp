// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mpi.h>

#include "running/running_call.hpp"

namespace pleat::preloaded {

// Persistent calls of ours by their requests. Thread safety: any number of threads.

/// Keeps a call on `comm`, for which it takes tags, and returns its request. Waits for no rank: a
/// call of ours tells the tags, and the first start waits for it. Throws: mpi_failure.
[[nodiscard]] MPI_Request keep(operation what, MPI_Comm comm, std::shared_ptr<running_call> call);
/// Tells whether any has been kept. Relaxed: a thread that starts one has got its request.
inline std::atomic<bool> kept_calls = false;
[[nodiscard]] inline bool any_kept() noexcept { return kept_calls.load(std::memory_order_relaxed); }
/// Starts any persistent request, of ours or of the MPI. Returns the MPI's error code.
[[nodiscard]] int start(MPI_Request& request) noexcept;
/// Forgets a request that the program frees, if it is ours.
void forget(MPI_Request request) noexcept;

}  // namespace pleat::preloaded
