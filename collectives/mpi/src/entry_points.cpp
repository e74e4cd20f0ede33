// SPDX-License-Identifier: Apache-2.0
#include "entry_points.hpp"

#include "calls.hpp"
#include "communicator.hpp"

namespace pleat::preloaded::entry {

int init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}

int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return calls::bcast(buffer, count, type, root, comm,
                      [&] { return PMPI_Bcast(buffer, count, type, root, comm); });
}

int allgather(const void* from, int from_count, MPI_Datatype from_type, void* to, int count,
              MPI_Datatype type, MPI_Comm comm) {
  return calls::allgather({from, from_count, from_type}, to, count, type, comm, [&] {
    return PMPI_Allgather(from, from_count, from_type, to, count, type, comm);
  });
}

int allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
               const int* counts, const int* places, MPI_Datatype type, MPI_Comm comm) {
  return calls::allgatherv({from, from_count, from_type}, to, counts, places, type, comm, [&] {
    return PMPI_Allgatherv(from, from_count, from_type, to, counts, places, type, comm);
  });
}

int reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return calls::reduce(from, to, count, type, op, root, comm,
                       [&] { return PMPI_Reduce(from, to, count, type, op, root, comm); });
}

int allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return calls::allreduce(from, to, count, type, op, comm,
                          [&] { return PMPI_Allreduce(from, to, count, type, op, comm); });
}

int reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return calls::reduce_scatter(from, to, counts, type, op, comm, [&] {
    return PMPI_Reduce_scatter(from, to, counts, type, op, comm);
  });
}

int reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  return calls::reduce_scatter_block(from, to, count, type, op, comm, [&] {
    return PMPI_Reduce_scatter_block(from, to, count, type, op, comm);
  });
}

}  // namespace pleat::preloaded::entry
