// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Owner of the threads that carry out a machine's runs, and the way they are bound to processors.
enum class workers {
  /// The machine makes p − 1 threads. They and the caller are bound to their processors, and so are
  /// threads and processes that they start.
  bound,
  /// The machine makes p − 1 threads. A thread is moved to its processor when a run begins or after
  /// it has slept. It keeps the affinity mask of the process, so that threads and processes that a
  /// program starts may run anywhere.
  kept,
  /// The machine makes p − 1 threads, which the kernel places and moves. machine_options::place,
  /// compact by default, gives their number, and the clusters and memory nodes that are assumed.
  free,
  /// The threads are those of the application that are inside machine::join. The machine makes
  /// none, and has no machine_options::place.
  borrowed,
};

}  // namespace pleat
