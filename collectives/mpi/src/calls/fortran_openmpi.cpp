// SPDX-License-Identifier: Apache-2.0
//
// Fortran's collective calls under Open MPI, which do not go through its C functions. (MPICH's do.)
#include <vector>

#include "calls/fortran.hpp"

#include <mpi-ext.h>

using namespace pleat::preloaded::fortran;

namespace {

/// Returns the types of parts for all ranks; none in place, where the argument means nothing.
std::vector<MPI_Datatype> types_of(const void* buffer, const MPI_Fint* handles, MPI_Comm comm) {
  int between_groups = 0;
  int ranks = 0;
  if (buffer == MPI_IN_PLACE || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS ||
      (between_groups != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &ranks) != MPI_SUCCESS) {
    return {};
  }
  std::vector<MPI_Datatype> types;
  for (int r = 0; r < ranks; ++r) types.push_back(type_of(handles + r));
  return types;
}

}  // namespace

// The three forms of a call, whose arguments for C are the last ones.
#define PLEAT_LIST(...) __VA_ARGS__
#define PLEAT_COLLECTIVE(name, NAME, Name, parameters, ...)                                      \
  PLEAT_FORTRAN(mpi, MPI, name, NAME, (PLEAT_LIST parameters, MPI_Fint * error),                 \
                MPI_##Name(__VA_ARGS__));                                                        \
  PLEAT_FORTRAN(                                                                                 \
      mpi, MPI, i##name, I##NAME, (PLEAT_LIST parameters, MPI_Fint * request, MPI_Fint * error), \
      makes(request, [&](MPI_Request* made) { return MPI_I##name(__VA_ARGS__, made); }));        \
  PLEAT_FORTRAN(mpix, MPIX, name##_init, NAME##_INIT,                                            \
                (PLEAT_LIST parameters, MPI_Fint * info, MPI_Fint * request, MPI_Fint * error),  \
                makes(request, [&](MPI_Request* made) {                                          \
                  return MPIX_##Name##_init(__VA_ARGS__, MPI_Info_f2c(*info), made);             \
                }))

#pragma GCC visibility push(default)
extern "C" {

PLEAT_COLLECTIVE(bcast, BCAST, Bcast,
                 (char* buffer, int* count, MPI_Fint* type, int* root, MPI_Fint* comm),
                 address(buffer), *count, type_of(type), *root, comm_of(comm));

PLEAT_COLLECTIVE(allgather, ALLGATHER, Allgather,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
                  MPI_Fint* type, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), *count, type_of(type),
                 comm_of(comm));

PLEAT_COLLECTIVE(allgatherv, ALLGATHERV, Allgatherv,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* counts,
                  int* places, MPI_Fint* type, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), counts, places,
                 type_of(type), comm_of(comm));

PLEAT_COLLECTIVE(reduce, REDUCE, Reduce,
                 (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, int* root,
                  MPI_Fint* comm),
                 address(from), address(to), *count, type_of(type), op_of(op), *root,
                 comm_of(comm));

PLEAT_COLLECTIVE(allreduce, ALLREDUCE, Allreduce,
                 (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                 address(from), address(to), *count, type_of(type), op_of(op), comm_of(comm));

PLEAT_COLLECTIVE(reduce_scatter, REDUCE_SCATTER, Reduce_scatter,
                 (char* from, char* to, int* counts, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                 address(from), address(to), counts, type_of(type), op_of(op), comm_of(comm));

PLEAT_COLLECTIVE(reduce_scatter_block, REDUCE_SCATTER_BLOCK, Reduce_scatter_block,
                 (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                 address(from), address(to), *count, type_of(type), op_of(op), comm_of(comm));

PLEAT_COLLECTIVE(scan, SCAN, Scan,
                 (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                 address(from), address(to), *count, type_of(type), op_of(op), comm_of(comm));

PLEAT_COLLECTIVE(exscan, EXSCAN, Exscan,
                 (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm),
                 address(from), address(to), *count, type_of(type), op_of(op), comm_of(comm));

PLEAT_COLLECTIVE(alltoall, ALLTOALL, Alltoall,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
                  MPI_Fint* type, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), *count, type_of(type),
                 comm_of(comm));

PLEAT_COLLECTIVE(alltoallv, ALLTOALLV, Alltoallv,
                 (char* from, int* from_counts, int* from_places, MPI_Fint* from_type, char* to,
                  int* counts, int* places, MPI_Fint* type, MPI_Fint* comm),
                 address(from), from_counts, from_places, type_of(from_type), address(to), counts,
                 places, type_of(type), comm_of(comm));

PLEAT_COLLECTIVE(alltoallw, ALLTOALLW, Alltoallw,
                 (char* from, int* from_counts, int* from_places, MPI_Fint* from_types, char* to,
                  int* counts, int* places, MPI_Fint* types, MPI_Fint* comm),
                 address(from), from_counts, from_places,
                 types_of(address(from), from_types, comm_of(comm)).data(), address(to), counts,
                 places, types_of(address(to), types, comm_of(comm)).data(), comm_of(comm));

PLEAT_COLLECTIVE(gather, GATHER, Gather,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
                  MPI_Fint* type, int* root, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), *count, type_of(type),
                 *root, comm_of(comm));

PLEAT_COLLECTIVE(scatter, SCATTER, Scatter,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
                  MPI_Fint* type, int* root, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), *count, type_of(type),
                 *root, comm_of(comm));

PLEAT_COLLECTIVE(gatherv, GATHERV, Gatherv,
                 (char* from, int* from_count, MPI_Fint* from_type, char* to, int* counts,
                  int* places, MPI_Fint* type, int* root, MPI_Fint* comm),
                 address(from), *from_count, type_of(from_type), address(to), counts, places,
                 type_of(type), *root, comm_of(comm));

PLEAT_COLLECTIVE(scatterv, SCATTERV, Scatterv,
                 (char* from, int* counts, int* places, MPI_Fint* type, char* to, int* count,
                  MPI_Fint* to_type, int* root, MPI_Fint* comm),
                 address(from), counts, places, type_of(type), address(to), *count,
                 type_of(to_type), *root, comm_of(comm));

}  // extern "C"
#pragma GCC visibility pop
