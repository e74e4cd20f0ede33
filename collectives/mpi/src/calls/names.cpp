// SPDX-License-Identifier: Apache-2.0
// MPI's names of the collective calls that are interposed.
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "calls/calls.hpp"
#include "communicator/process.hpp"

using namespace pleat::preloaded;

// The other forms of PLEAT_BLOCKING, with `more` and `most` parameters; and all forms of a call.
#define PLEAT_NON_BLOCKING(name, ours, n, more)                                            \
  int name(PLEAT_PARAMETERS(more, P##name)) {                                              \
    return calls::ours(non_blocking{a##n, [&] { return P##name(PLEAT_ARGUMENTS(more)); }}, \
                       PLEAT_ARGUMENTS(n));                                                \
  }
#define PLEAT_PERSISTENT(name, ours, n, more, most)                                         \
  int name(PLEAT_PARAMETERS(most, P##name)) {                                               \
    return calls::ours(persistent{a##more, [&] { return P##name(PLEAT_ARGUMENTS(most)); }}, \
                       PLEAT_ARGUMENTS(n));                                                 \
  }
#define PLEAT_FORMS(name, NAME, Name, ours, n, more, most) \
  PLEAT_BLOCKING(MPI_##Name, PMPI_##Name, ours, n)         \
  PLEAT_NON_BLOCKING(MPI_I##name, ours, n, more)
#define PLEAT_LARGE_FORMS(name, NAME, Name, ours, n, more, most) \
  PLEAT_BLOCKING(MPI_##Name##_c, PMPI_##Name##_c, ours, n)       \
  PLEAT_NON_BLOCKING(MPI_I##name##_c, ours, n, more)             \
  PLEAT_PERSISTENT(MPI_##Name##_init, ours, n, more, most)       \
  PLEAT_PERSISTENT(MPI_##Name##_init_c, ours, n, more, most)
#define PLEAT_EXTENSION(name, NAME, Name, ours, n, more, most) \
  PLEAT_PERSISTENT(MPIX_##Name##_init, ours, n, more, most)

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) try {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) try {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

PLEAT_CALLS(PLEAT_FORMS)
PLEAT_CALL_ALLTOALLW(PLEAT_FORMS)
#if MPI_VERSION >= 4
PLEAT_CALLS(PLEAT_LARGE_FORMS)
PLEAT_CALL_ALLTOALLW(PLEAT_LARGE_FORMS)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
PLEAT_CALLS(PLEAT_EXTENSION)
PLEAT_CALL_ALLTOALLW(PLEAT_EXTENSION)
#endif

}  // extern "C"
#pragma GCC visibility pop
