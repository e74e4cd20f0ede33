// SPDX-License-Identifier: Apache-2.0
//
// Fortran's collective calls under Open MPI, which do not go through its C functions. (MPICH's do.)
#include <vector>

#include "calls/calls.hpp"
#include "calls/fortran.hpp"

#include <mpi-ext.h>

using namespace pleat::preloaded::fortran;

namespace {

/// Returns the types of parts for all ranks; none in place, where the argument means nothing.
std::vector<MPI_Datatype> types_of(const void* buffer, const void* handles, MPI_Comm comm) {
  int between_groups = 0, ranks = 0;
  if (buffer == MPI_IN_PLACE || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS ||
      (between_groups != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &ranks) != MPI_SUCCESS) {
    return {};
  }
  std::vector<MPI_Datatype> types;
  for (int r = 0; r < ranks; ++r) types.push_back(type_of(&integer(handles) + r));
  return types;
}

}  // namespace

// The three forms of a call of n parameters, whose arguments for C are the last ones. (The request
// is a##n of the second, and a##more of the third.)
#define PLEAT_FORMS(name, NAME, Name, n, more, most, ...)                                        \
  PLEAT_FORTRAN(mpi, MPI, name, NAME, (PLEAT_FORTRAN_PARAMETERS(n)), MPI_##Name(__VA_ARGS__));   \
  PLEAT_FORTRAN(mpi, MPI, i##name, I##NAME, (PLEAT_FORTRAN_PARAMETERS(more)),                    \
                makes(a##n, [&](MPI_Request* made) { return MPI_I##name(__VA_ARGS__, made); })); \
  PLEAT_FORTRAN(mpix, MPIX, name##_init, NAME##_INIT, (PLEAT_FORTRAN_PARAMETERS(most)),          \
                makes(a##more, [&](MPI_Request* made) {                                          \
                  return MPIX_##Name##_init(__VA_ARGS__, MPI_Info_f2c(integer(a##n)), made);     \
                }));
#define PLEAT_COLLECTIVE(name, NAME, Name, ours, n, more, most) \
  PLEAT_FORMS(name, NAME, Name, n, more, most, PLEAT_ARGUMENTS_IN_C(n))

#pragma GCC visibility push(default)
extern "C" {

PLEAT_CALLS(PLEAT_COLLECTIVE)
PLEAT_FORMS(alltoallw, ALLTOALLW, Alltoallw, 9, 10, 11, argument{a0}, argument{a1}, argument{a2},
            types_of(address(a0), a3, comm_of(a8)).data(), argument{a4}, argument{a5}, argument{a6},
            types_of(address(a4), a7, comm_of(a8)).data(), argument{a8})

}  // extern "C"
#pragma GCC visibility pop
