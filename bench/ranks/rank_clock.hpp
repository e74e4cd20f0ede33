// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "measure/clock.hpp"
#include "rank_group.hpp"

namespace pleat::bench {

/// Waits until MPI has done what was asked, and lets others have the processor meanwhile: where
/// there are more ranks than processors, one that spins takes the time of one that works.
void wait_yielding(MPI_Request& asked);

/// Clock for what all ranks take together. Collective.
class rank_clock {
 public:
  explicit rank_clock(const rank_group& all) : all_(all) {}

  /// Starts when all ranks have called it.
  void start();
  /// Seconds since then, of the rank that takes longest: the same on all.
  [[nodiscard]] double stop() const;

 private:
  const rank_group& all_;
  benchmark_clock::time_point start_;
};

}  // namespace pleat::bench
