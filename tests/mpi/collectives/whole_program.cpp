// SPDX-License-Identifier: Apache-2.0
// A program from MPI_Init to the end of MPI_Finalize, without threads: 1,100 communicators at once,
// errors that only its own handler may see, and a clean-up as libraries have it, a function that
// MPI_Finalize calls and that still communicates. Says what is wrong. With an argument: a program
// of one process that starts two.
#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <mpi.h>
#include <vector>

#include "../message_count.hpp"

namespace {

MPI_Comm inner = MPI_COMM_NULL;

void require(bool right, const char* what) {
  if (!right) std::fprintf(stderr, "wrong: %s\n", what);
}

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void expect_bcast(MPI_Comm comm, int value, const char* when) {
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  std::array<int, 3> data{};
  if (rank_here() == 0) data = {value, 0, value};
  MPI_Bcast(data.data(), 1, apart, 0, comm);
  require(data == std::array{value, 0, value}, when);
  MPI_Type_free(&apart);
}

int clean_up(MPI_Comm, int, void*, void*) {
  for (const int value : {1, 2}) {
    expect_bcast(MPI_COMM_WORLD, value, "in the clean-up");
    expect_bcast(inner, value, "on another communicator in the clean-up");
  }
  MPI_Comm_free(&inner);
  if (rank_here() == 0) std::fprintf(stderr, "cleaned up\n");
  return MPI_SUCCESS;
}

int class_of(int code) {
  int result = 0;
  MPI_Error_class(code, &result);
  return result;
}

// The handler of MPI_COMM_WORLD ends the program.
void try_errors() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::array<int, 200> data{};
  for (const int others : {100, 200}) {  // less than the root has, then more
    const int code = MPI_Bcast(data.data(), rank_here() == 0 ? 150 : others, MPI_INT, 0, comm);
    require(rank_here() == 0 || class_of(code) == MPI_ERR_TRUNCATE, "no error of sizes");
    PMPI_Barrier(comm);
  }
#ifdef MPICH_VERSION  // the calls of Open MPI read such memory
  const auto refuses = [](int code) { require(class_of(code) == MPI_ERR_BUFFER, "null is taken"); };
  int* const at = data.data();
  refuses(MPI_Bcast(nullptr, 2, MPI_INT, 0, comm));
  refuses(MPI_Allgather(nullptr, 2, MPI_INT, at, 2, MPI_INT, comm));
  refuses(MPI_Allgather(at, 2, MPI_INT, nullptr, 2, MPI_INT, comm));
  refuses(MPI_Allreduce(nullptr, at, 2, MPI_INT, MPI_SUM, comm));
  refuses(MPI_Allreduce(at, nullptr, 2, MPI_INT, MPI_SUM, comm));
  refuses(MPI_Reduce_scatter_block(at, nullptr, 2, MPI_INT, MPI_SUM, comm));
#endif
  expect_bcast(comm, 3, "after errors");
  MPI_Comm_free(&comm);
}

/// A world of one rank and the two that it starts, which have another MPI_COMM_WORLD.
void try_started_processes(char* program, MPI_Comm parent) {
  MPI_Comm between = parent;
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(between, parent == MPI_COMM_NULL ? 0 : 1, &all);
  for (const int root : {0, 2}) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    std::vector<int> data(3000, rank == root ? root + 7 : 0);
    MPI_Bcast(data.data(), 3000, MPI_INT, root, all);
    require(data == std::vector<int>(3000, root + 7), "among processes of two worlds");
  }
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL || argc == 2) {
    try_started_processes(argv[0], parent);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &inner);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, clean_up, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);  // before the first collective call
  expect_bcast(MPI_COMM_WORLD, 4, "the first call");
  expect_bcast(inner, 5, "another communicator");
  try_errors();
  std::vector<MPI_Comm> many(1100);
  for (MPI_Comm& comm : many) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect_bcast(comm, 6, "one of many communicators");
  }
  for (std::size_t i = 0; i < many.size(); ++i)
    (i % 2 == 0 ? MPI_Comm_free : MPI_Comm_disconnect)(&many[i]);
  // This program refers to no non-blocking call, so that it pays nothing for them.
  const auto layer =
      reinterpret_cast<message_count_function>(::dlsym(RTLD_DEFAULT, message_count_name));
  require(layer == nullptr || layer()->collectives == 0, "non-blocking calls that nobody needs");
  MPI_Finalize();
  return 0;
}
