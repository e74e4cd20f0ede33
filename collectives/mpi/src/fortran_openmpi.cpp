// SPDX-License-Identifier: Apache-2.0
//
// Fortran's calls under Open MPI, which do not go through its C functions. (MPICH's do.) Handles
// are integers; MPI_IN_PLACE and MPI_BOTTOM are variables known by their addresses.
#include <mpi.h>
#include <vector>

extern "C" {
// Symbols of libmpi, or of the program, if that has a copy.
extern int mpi_fortran_in_place_;
extern int mpi_fortran_bottom_;
}

namespace {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are arrays of int");

void* address(char* buffer) {
  void* const at = buffer;
  if (at == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return at == &mpi_fortran_bottom_ ? MPI_BOTTOM : at;
}
MPI_Datatype type_of(const MPI_Fint* handle) { return MPI_Type_f2c(*handle); }
MPI_Comm comm_of(const MPI_Fint* handle) { return MPI_Comm_f2c(*handle); }
MPI_Op op_of(const MPI_Fint* handle) { return MPI_Op_f2c(*handle); }

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

// Defines a call with these parameters, whose error code is the last argument: under the names that
// compilers make of it, and as ompi_…_f, which the module mpi_f08 calls.
#define PLEAT_FORTRAN(name, NAME, parameters, ...)                           \
  void ompi_##name##_f parameters {                                          \
    const int code = __VA_ARGS__;                                            \
    if (error != nullptr) *error = code;                                     \
  }                                                                          \
  void mpi_##name parameters __attribute__((alias("ompi_" #name "_f")));     \
  void mpi_##name##_ parameters __attribute__((alias("ompi_" #name "_f")));  \
  void mpi_##name##__ parameters __attribute__((alias("ompi_" #name "_f"))); \
  void MPI_##NAME parameters __attribute__((alias("ompi_" #name "_f")))

#pragma GCC visibility push(default)
extern "C" {

PLEAT_FORTRAN(init, INIT, (MPI_Fint * error), MPI_Init(nullptr, nullptr));

PLEAT_FORTRAN(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* error),
              MPI_Init_thread(nullptr, nullptr, *required, provided));

PLEAT_FORTRAN(bcast, BCAST,
              (char* buffer, int* count, MPI_Fint* type, int* root, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Bcast(address(buffer), *count, type_of(type), *root, comm_of(comm)));

PLEAT_FORTRAN(allgather, ALLGATHER,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
               MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Allgather(address(from), *from_count, type_of(from_type), address(to), *count,
                            type_of(type), comm_of(comm)));

PLEAT_FORTRAN(allgatherv, ALLGATHERV,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* counts, int* places,
               MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Allgatherv(address(from), *from_count, type_of(from_type), address(to), counts,
                             places, type_of(type), comm_of(comm)));

PLEAT_FORTRAN(reduce, REDUCE,
              (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, int* root,
               MPI_Fint* comm, MPI_Fint* error),
              MPI_Reduce(address(from), address(to), *count, type_of(type), op_of(op), *root,
                         comm_of(comm)));

PLEAT_FORTRAN(allreduce, ALLREDUCE,
              (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Allreduce(address(from), address(to), *count, type_of(type), op_of(op),
                            comm_of(comm)));

PLEAT_FORTRAN(reduce_scatter, REDUCE_SCATTER,
              (char* from, char* to, int* counts, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Reduce_scatter(address(from), address(to), counts, type_of(type), op_of(op),
                                 comm_of(comm)));

PLEAT_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK,
              (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Reduce_scatter_block(address(from), address(to), *count, type_of(type), op_of(op),
                                       comm_of(comm)));

PLEAT_FORTRAN(scan, SCAN,
              (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Scan(address(from), address(to), *count, type_of(type), op_of(op),
                       comm_of(comm)));

PLEAT_FORTRAN(exscan, EXSCAN,
              (char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Exscan(address(from), address(to), *count, type_of(type), op_of(op),
                         comm_of(comm)));

PLEAT_FORTRAN(alltoall, ALLTOALL,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
               MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Alltoall(address(from), *from_count, type_of(from_type), address(to), *count,
                           type_of(type), comm_of(comm)));

PLEAT_FORTRAN(alltoallv, ALLTOALLV,
              (char* from, int* from_counts, int* from_places, MPI_Fint* from_type, char* to,
               int* counts, int* places, MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Alltoallv(address(from), from_counts, from_places, type_of(from_type),
                            address(to), counts, places, type_of(type), comm_of(comm)));

PLEAT_FORTRAN(alltoallw, ALLTOALLW,
              (char* from, int* from_counts, int* from_places, MPI_Fint* from_types, char* to,
               int* counts, int* places, MPI_Fint* types, MPI_Fint* comm, MPI_Fint* error),
              MPI_Alltoallw(address(from), from_counts, from_places,
                            types_of(address(from), from_types, comm_of(comm)).data(), address(to),
                            counts, places, types_of(address(to), types, comm_of(comm)).data(),
                            comm_of(comm)));

PLEAT_FORTRAN(gather, GATHER,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
               MPI_Fint* type, int* root, MPI_Fint* comm, MPI_Fint* error),
              MPI_Gather(address(from), *from_count, type_of(from_type), address(to), *count,
                         type_of(type), *root, comm_of(comm)));

PLEAT_FORTRAN(scatter, SCATTER,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
               MPI_Fint* type, int* root, MPI_Fint* comm, MPI_Fint* error),
              MPI_Scatter(address(from), *from_count, type_of(from_type), address(to), *count,
                          type_of(type), *root, comm_of(comm)));

PLEAT_FORTRAN(gatherv, GATHERV,
              (char* from, int* from_count, MPI_Fint* from_type, char* to, int* counts, int* places,
               MPI_Fint* type, int* root, MPI_Fint* comm, MPI_Fint* error),
              MPI_Gatherv(address(from), *from_count, type_of(from_type), address(to), counts,
                          places, type_of(type), *root, comm_of(comm)));

PLEAT_FORTRAN(scatterv, SCATTERV,
              (char* from, int* counts, int* places, MPI_Fint* type, char* to, int* count,
               MPI_Fint* to_type, int* root, MPI_Fint* comm, MPI_Fint* error),
              MPI_Scatterv(address(from), counts, places, type_of(type), address(to), *count,
                           type_of(to_type), *root, comm_of(comm)));

}  // extern "C"
#pragma GCC visibility pop
