// SPDX-License-Identifier: Apache-2.0
// MPI's names of the calls that are interposed.
#include <mpi.h>

#include "calls.hpp"
#include "entry_points.hpp"

namespace calls = pleat::preloaded::calls;
namespace entry = pleat::preloaded::entry;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) { return entry::init(argc, argv); }
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return entry::init_thread(argc, argv, required, provided);
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return entry::bcast(buffer, count, type, root, comm);
}
int MPI_Allgather(const void* from, int from_count, MPI_Datatype from_type, void* to, int count,
                  MPI_Datatype type, MPI_Comm comm) {
  return entry::allgather(from, from_count, from_type, to, count, type, comm);
}
int MPI_Allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                   const int* counts, const int* places, MPI_Datatype type, MPI_Comm comm) {
  return entry::allgatherv(from, from_count, from_type, to, counts, places, type, comm);
}
int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return entry::reduce(from, to, count, type, op, root, comm);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return entry::allreduce(from, to, count, type, op, comm);
}
int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  return entry::reduce_scatter(from, to, counts, type, op, comm);
}
int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return entry::reduce_scatter_block(from, to, count, type, op, comm);
}

#if MPI_VERSION >= 4  // with large counts

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return calls::bcast(buffer, count, type, root, comm,
                      [&] { return PMPI_Bcast_c(buffer, count, type, root, comm); });
}

int MPI_Allgather_c(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to,
                    MPI_Count count, MPI_Datatype type, MPI_Comm comm) {
  return calls::allgather({from, from_count, from_type}, to, count, type, comm, [&] {
    return PMPI_Allgather_c(from, from_count, from_type, to, count, type, comm);
  });
}

int MPI_Allgatherv_c(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to,
                     const MPI_Count* counts, const MPI_Aint* places, MPI_Datatype type,
                     MPI_Comm comm) {
  return calls::allgatherv({from, from_count, from_type}, to, counts, places, type, comm, [&] {
    return PMPI_Allgatherv_c(from, from_count, from_type, to, counts, places, type, comm);
  });
}

int MPI_Reduce_c(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, MPI_Comm comm) {
  return calls::reduce(from, to, count, type, op, root, comm,
                       [&] { return PMPI_Reduce_c(from, to, count, type, op, root, comm); });
}

int MPI_Allreduce_c(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  return calls::allreduce(from, to, count, type, op, comm,
                          [&] { return PMPI_Allreduce_c(from, to, count, type, op, comm); });
}

int MPI_Reduce_scatter_c(const void* from, void* to, const MPI_Count* counts, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  return calls::reduce_scatter(from, to, counts, type, op, comm, [&] {
    return PMPI_Reduce_scatter_c(from, to, counts, type, op, comm);
  });
}

int MPI_Reduce_scatter_block_c(const void* from, void* to, MPI_Count count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  return calls::reduce_scatter_block(from, to, count, type, op, comm, [&] {
    return PMPI_Reduce_scatter_block_c(from, to, count, type, op, comm);
  });
}

#endif

}  // extern "C"
#pragma GCC visibility pop
