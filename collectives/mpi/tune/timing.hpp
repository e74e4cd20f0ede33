// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mpi.h>
#include <vector>

namespace pleat::preloaded {

/// The median over `repetitions` of the time of the slowest rank, seconds, the same on all ranks.
/// A repetition that is not kept goes first.
template <class Work>
double slowest_rank_s_median(MPI_Comm comm, int repetitions, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i <= repetitions; ++i) {
    PMPI_Barrier(comm);
    const double start = PMPI_Wtime();
    work();
    const double own = PMPI_Wtime() - start;
    double slowest = 0;
    PMPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (i > 0) times.push_back(slowest);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace pleat::preloaded
