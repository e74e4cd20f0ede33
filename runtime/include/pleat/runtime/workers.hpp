// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Owner of the threads that carry out a machine's runs, and what holds them at their processors.
enum class workers {
  /// The machine makes p − 1 threads. They and the caller are bound to their processors, and so is
  /// whatever they start (a thread, a process).
  bound,
  /// The machine makes p − 1 threads. A thread is moved to its processor when a run begins or when
  /// it has slept, and keeps the affinity mask of the process, so that whatever a program starts
  /// may run anywhere.
  kept,
  /// The machine makes p − 1 threads, which the kernel places and moves. machine_options::place
  /// gives their number, and the clusters and memory nodes that are assumed; without it, compact.
  free,
  /// The application's threads that are inside machine::join; the machine makes none, and has no
  /// machine_options::place.
  borrowed,
};

}  // namespace pleat
