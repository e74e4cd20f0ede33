// SPDX-License-Identifier: Apache-2.0
// MPI's names of the collective calls that are interposed.
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "calls/calls.hpp"
#include "communicator/process.hpp"

namespace calls = pleat::preloaded::calls;
using pleat::preloaded::blocking;
using pleat::preloaded::non_blocking;
using pleat::preloaded::persistent;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) try {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) pleat::preloaded::begin();
  return code;
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) try {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) pleat::preloaded::begin();
  return code;
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

#define PLEAT_CALL(name, immediate, extension) name
#define PLEAT_FORM(name, lower) blocking<PMPI_##name>()
#define PLEAT_MORE
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "calls/signatures.inc"

#define PLEAT_CALL(name, immediate, extension) immediate
#define PLEAT_FORM(name, lower) \
  non_blocking<PMPI_I##lower> { request }
#define PLEAT_MORE , MPI_Request* request
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "calls/signatures.inc"

#if MPI_VERSION >= 4 || defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#if MPI_VERSION >= 4
#define PLEAT_CALL(name, immediate, extension) name##_init
#define PLEAT_FORM(name, lower) \
  persistent<PMPI_##name##_init> { info, request }
#else  // an extension of Open MPI 4
#define PLEAT_CALL(name, immediate, extension) extension
#define PLEAT_FORM(name, lower) \
  persistent<PMPIX_##name##_init> { info, request }
#endif
#define PLEAT_MORE , MPI_Info info, MPI_Request *request
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "calls/signatures.inc"
#endif

#if MPI_VERSION >= 4  // with large counts
#define PLEAT_CALL(name, immediate, extension) name##_c
#define PLEAT_FORM(name, lower) blocking<PMPI_##name##_c>()
#define PLEAT_MORE
#define PLEAT_COUNT MPI_Count
#define PLEAT_PLACE MPI_Aint
#include "calls/signatures.inc"

#define PLEAT_CALL(name, immediate, extension) immediate##_c
#define PLEAT_FORM(name, lower) \
  non_blocking<PMPI_I##lower##_c> { request }
#define PLEAT_MORE , MPI_Request* request
#define PLEAT_COUNT MPI_Count
#define PLEAT_PLACE MPI_Aint
#include "calls/signatures.inc"

#define PLEAT_CALL(name, immediate, extension) name##_init_c
#define PLEAT_FORM(name, lower) \
  persistent<PMPI_##name##_init_c> { info, request }
#define PLEAT_MORE , MPI_Info info, MPI_Request *request
#define PLEAT_COUNT MPI_Count
#define PLEAT_PLACE MPI_Aint
#include "calls/signatures.inc"
#endif

}  // extern "C"
#pragma GCC visibility pop
