// SPDX-License-Identifier: Apache-2.0
// MPI's names of the calls that are interposed.
#include <mpi.h>

#include "calls.hpp"
#include "communicator.hpp"

namespace calls = pleat::preloaded::calls;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) pleat::preloaded::begin();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) pleat::preloaded::begin();
  return code;
}

#define PLEAT_CALL(name) MPI_##name
#define PLEAT_OWN(name) PMPI_##name
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "signatures.inc"

#if MPI_VERSION >= 4  // with large counts
#undef PLEAT_CALL
#undef PLEAT_OWN
#undef PLEAT_COUNT
#undef PLEAT_PLACE
#define PLEAT_CALL(name) MPI_##name##_c
#define PLEAT_OWN(name) PMPI_##name##_c
#define PLEAT_COUNT MPI_Count
#define PLEAT_PLACE MPI_Aint
#include "signatures.inc"
#endif

}  // extern "C"
#pragma GCC visibility pop
