// SPDX-License-Identifier: Apache-2.0
//
// Fortran's calls under Open MPI, which do not go through its C functions. (MPICH's do.) Handles
// are integers; MPI_IN_PLACE and MPI_BOTTOM are variables known by their addresses. Each call has
// the names that compilers make of it, and ompi_…_f, which the module mpi_f08 calls.
#include <mpi.h>

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
void answer(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

}  // namespace

#define PLEAT_SAME_AS(name) __attribute__((alias(#name)))

#pragma GCC visibility push(default)
extern "C" {

void ompi_init_f(MPI_Fint* error) { answer(error, MPI_Init(nullptr, nullptr)); }
void mpi_init(MPI_Fint*) PLEAT_SAME_AS(ompi_init_f);
void mpi_init_(MPI_Fint*) PLEAT_SAME_AS(ompi_init_f);
void mpi_init__(MPI_Fint*) PLEAT_SAME_AS(ompi_init_f);
void MPI_INIT(MPI_Fint*) PLEAT_SAME_AS(ompi_init_f);

void ompi_init_thread_f(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  answer(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
void mpi_init_thread(MPI_Fint*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_init_thread_f);
void mpi_init_thread_(MPI_Fint*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_init_thread_f);
void mpi_init_thread__(MPI_Fint*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_init_thread_f);
void MPI_INIT_THREAD(MPI_Fint*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_init_thread_f);

void ompi_bcast_f(char* buffer, int* count, MPI_Fint* type, int* root, MPI_Fint* comm,
                  MPI_Fint* error) {
  answer(error, MPI_Bcast(address(buffer), *count, type_of(type), *root, comm_of(comm)));
}
void mpi_bcast(char*, int*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_bcast_f);
void mpi_bcast_(char*, int*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_bcast_f);
void mpi_bcast__(char*, int*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_bcast_f);
void MPI_BCAST(char*, int*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*) PLEAT_SAME_AS(ompi_bcast_f);

void ompi_allgather_f(char* from, int* from_count, MPI_Fint* from_type, char* to, int* count,
                      MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Allgather(address(from), *from_count, type_of(from_type), address(to), *count,
                              type_of(type), comm_of(comm)));
}
void mpi_allgather(char*, int*, MPI_Fint*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgather_f);
void mpi_allgather_(char*, int*, MPI_Fint*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgather_f);
void mpi_allgather__(char*, int*, MPI_Fint*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgather_f);
void MPI_ALLGATHER(char*, int*, MPI_Fint*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgather_f);

void ompi_allgatherv_f(char* from, int* from_count, MPI_Fint* from_type, char* to, int* counts,
                       int* places, MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Allgatherv(address(from), *from_count, type_of(from_type), address(to), counts,
                               places, type_of(type), comm_of(comm)));
}
void mpi_allgatherv(char*, int*, MPI_Fint*, char*, int*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgatherv_f);
void mpi_allgatherv_(char*, int*, MPI_Fint*, char*, int*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgatherv_f);
void mpi_allgatherv__(char*, int*, MPI_Fint*, char*, int*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgatherv_f);
void MPI_ALLGATHERV(char*, int*, MPI_Fint*, char*, int*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allgatherv_f);

void ompi_reduce_f(char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op, int* root,
                   MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Reduce(address(from), address(to), *count, type_of(type), op_of(op), *root,
                           comm_of(comm)));
}
void mpi_reduce(char*, char*, int*, MPI_Fint*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_f);
void mpi_reduce_(char*, char*, int*, MPI_Fint*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_f);
void mpi_reduce__(char*, char*, int*, MPI_Fint*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_f);
void MPI_REDUCE(char*, char*, int*, MPI_Fint*, MPI_Fint*, int*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_f);

void ompi_allreduce_f(char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op,
                      MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Allreduce(address(from), address(to), *count, type_of(type), op_of(op),
                              comm_of(comm)));
}
void mpi_allreduce(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allreduce_f);
void mpi_allreduce_(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allreduce_f);
void mpi_allreduce__(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allreduce_f);
void MPI_ALLREDUCE(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_allreduce_f);

void ompi_reduce_scatter_f(char* from, char* to, int* counts, MPI_Fint* type, MPI_Fint* op,
                           MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Reduce_scatter(address(from), address(to), counts, type_of(type), op_of(op),
                                   comm_of(comm)));
}
void mpi_reduce_scatter(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_f);
void mpi_reduce_scatter_(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_f);
void mpi_reduce_scatter__(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_f);
void MPI_REDUCE_SCATTER(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_f);

void ompi_reduce_scatter_block_f(char* from, char* to, int* count, MPI_Fint* type, MPI_Fint* op,
                                 MPI_Fint* comm, MPI_Fint* error) {
  answer(error, MPI_Reduce_scatter_block(address(from), address(to), *count, type_of(type),
                                         op_of(op), comm_of(comm)));
}
void mpi_reduce_scatter_block(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_block_f);
void mpi_reduce_scatter_block_(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_block_f);
void mpi_reduce_scatter_block__(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_block_f);
void MPI_REDUCE_SCATTER_BLOCK(char*, char*, int*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*)
    PLEAT_SAME_AS(ompi_reduce_scatter_block_f);

}  // extern "C"
#pragma GCC visibility pop
