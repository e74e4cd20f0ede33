// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mpi.h>
#include <sched.h>

namespace pleat::preloaded {

// Non-blocking calls make progress whenever the program calls the MPI: while it waits there, and
// once in calls that do not wait.

/// Number of calls that are running; one more for ever in a program with threads of which one has
/// begun such a call, because another may begin one while this thread waits.
inline std::atomic<int> calls_running = 0;

/// Tells whether calls are running. Relaxed: those of other threads count as of the next call.
[[nodiscard]] inline bool others_run() noexcept {
  return calls_running.load(std::memory_order_relaxed) != 0;
}

/// Lets each running call go on as far as it can without waiting. Does nothing inside a function of
/// the program that one of them calls, or while another thread is in it.
void advance() noexcept;

/// Waits until `done()` is true, while calls make progress.
template <class Done> void progress_until(const Done& done) {
  constexpr int turns_without_yield = 100;
  for (int turn = 0; !done(); ++turn) {
    advance();
    if (turn < turns_without_yield) continue;
    ::sched_yield();
    --turn;
  }
}

/// Tells whether a request is complete, or has an error. It stays to be waited for.
[[nodiscard]] inline bool is_complete(MPI_Request request) noexcept {
  int flag = 0;
  MPI_Status status{};
  return PMPI_Request_get_status(request, &flag, &status) != MPI_SUCCESS || flag != 0;
}

}  // namespace pleat::preloaded
