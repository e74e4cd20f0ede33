// SPDX-License-Identifier: Apache-2.0
#include "rank_clock.hpp"

#include <sched.h>

namespace pleat::bench {

void wait_yielding(MPI_Request& asked) {
  int done = 0;
  MPI_Test(&asked, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    ::sched_yield();
    MPI_Test(&asked, &done, MPI_STATUS_IGNORE);
  }
}

void rank_clock::start() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(all_.processes(), &all_here);
  wait_yielding(all_here);
  start_ = benchmark_clock::now();
}

double rank_clock::stop() const {
  const double here = seconds_since(start_);
  double longest = here;
  MPI_Request all_told = MPI_REQUEST_NULL;
  MPI_Iallreduce(&here, &longest, 1, MPI_DOUBLE, MPI_MAX, all_.processes(), &all_told);
  wait_yielding(all_told);
  return longest;
}

}  // namespace pleat::bench
