// SPDX-License-Identifier: Apache-2.0
#include "over_all_ranks.hpp"

#include <mpi.h>

#include <pleat/mpi/over.hpp>

pleat::rank_options over_all_ranks(unsigned processors) {
  return pleat::mpi::over(MPI_COMM_WORLD, {.processors = processors});
}
