// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mpi.h>

#include "running_call.hpp"

namespace pleat::preloaded {

// Persistent calls of ours by their requests. Thread safety: any number of threads.

/// Keeps a call and returns its request. Throws: mpi_failure.
[[nodiscard]] MPI_Request keep(std::shared_ptr<running_call> call);
/// Tells whether any has been kept. Relaxed: a thread that starts one has got its request.
inline std::atomic<bool> kept_calls = false;
[[nodiscard]] inline bool any_kept() noexcept { return kept_calls.load(std::memory_order_relaxed); }
/// Starts any persistent request, of ours or of the MPI. Returns the MPI's error code.
[[nodiscard]] int start(MPI_Request& request) noexcept;
/// Forgets a request that the program frees, if it is ours.
void forget(MPI_Request request) noexcept;

}  // namespace pleat::preloaded
