// SPDX-License-Identifier: Apache-2.0
// Communicators of every kind, their attributes and errors; threads.
#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace communicators_test {

void expect_bcast(MPI_Comm comm, int root, std::size_t count) {
  std::vector<int> data(count, -1);
  if (rank_in(comm) == root) data.assign(count, root + 5);
  EXPECT_EQ(MPI_Bcast(data.data(), static_cast<int>(count), MPI_INT, root, comm), MPI_SUCCESS);
  EXPECT_EQ(data, std::vector<int>(count, root + 5));
}

TEST(communicators, come_and_go) {
  for (int i = 0; i < 6; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect_bcast(comm, i % size_of(comm), 3000);
    MPI_Comm half = MPI_COMM_NULL;  // in the opposite order
    MPI_Comm_split(comm, rank_in(comm) % 2, -rank_in(comm), &half);
    expect_bcast(half, i % size_of(half), 3000);
    MPI_Comm_free(&comm);
    expect_bcast(half, size_of(half) - 1, 10);
    MPI_Comm_free(&half);
  }
}

int copied = 0;
int deleted = 0;
int copy_attribute(MPI_Comm, int, void*, void* value, void* result, int* flag) {
  ++copied;
  *static_cast<void**>(result) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_attribute(MPI_Comm, int, void*, void*) {
  ++deleted;
  return MPI_SUCCESS;
}

TEST(communicators, attributes_of_the_program_are_not_copied) {
  copied = deleted = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm_set_attr(comm, key, &copied);
  expect_bcast(comm, 0, 3000);
  EXPECT_EQ(copied, 0);
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &second);
  EXPECT_EQ(copied, 1);
  expect_bcast(second, 0, 3000);
  EXPECT_EQ(copied, 1);
  MPI_Comm_free(&comm);
  EXPECT_EQ(deleted, 1);
  MPI_Comm_free(&second);
  EXPECT_EQ(deleted, 2);
  MPI_Comm_free_keyval(&key);
}

TEST(communicators, between_groups_are_the_mpi_s) {
  const int p = size_of(MPI_COMM_WORLD);
  if (p < 2) return;
  const int rank = rank_in(MPI_COMM_WORLD);
  const bool low = rank < p / 2;
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, low ? p / 2 : 0, 1, &both);
  std::vector<int> data(3000, rank == 0 ? 9 : 0);
  const int root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  EXPECT_EQ(MPI_Bcast(data.data(), 3000, MPI_INT, root, both), MPI_SUCCESS);
  EXPECT_TRUE((low && rank != 0) || data == std::vector<int>(3000, 9));
  int sum = 0;
  EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both), MPI_SUCCESS);
  int expected = 0;  // of the other group
  for (int other = low ? p / 2 : 0; other < (low ? p : p / 2); ++other) expected += other;
  EXPECT_EQ(sum, expected);
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(both, low ? 1 : 0, &merged);
  expect_bcast(merged, p - 1, 3000);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&mine);
}

int class_of(int code) {
  int result = 0;
  MPI_Error_class(code, &result);
  return result;
}

// Each rank asks the MPI's own function too.
TEST(communicators, errors_are_those_of_the_mpi) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::array<int, 4> in{};
  std::array<int, 4> out{};
  const int p = size_of(comm);
  const auto same = [](int ours, int theirs) {
    EXPECT_NE(theirs, MPI_SUCCESS);
    EXPECT_EQ(class_of(ours), class_of(theirs));
  };
  same(MPI_Bcast(in.data(), 4, MPI_INT, p, comm), PMPI_Bcast(in.data(), 4, MPI_INT, p, comm));
  same(MPI_Bcast(in.data(), 4, MPI_INT, -1, comm), PMPI_Bcast(in.data(), 4, MPI_INT, -1, comm));
  same(MPI_Bcast(in.data(), -1, MPI_INT, 0, comm), PMPI_Bcast(in.data(), -1, MPI_INT, 0, comm));
  same(MPI_Bcast(in.data(), 4, MPI_DATATYPE_NULL, 0, comm),
       PMPI_Bcast(in.data(), 4, MPI_DATATYPE_NULL, 0, comm));
  same(MPI_Allreduce(in.data(), out.data(), 4, MPI_INT, MPI_OP_NULL, comm),
       PMPI_Allreduce(in.data(), out.data(), 4, MPI_INT, MPI_OP_NULL, comm));
  same(MPI_Allreduce(in.data(), out.data(), 1, MPI_DOUBLE, MPI_BAND, comm),
       PMPI_Allreduce(in.data(), out.data(), 1, MPI_DOUBLE, MPI_BAND, comm));
  same(MPI_Reduce(in.data(), out.data(), 4, MPI_INT, MPI_SUM, p, comm),
       PMPI_Reduce(in.data(), out.data(), 4, MPI_INT, MPI_SUM, p, comm));
  same(MPI_Allgather(in.data(), -1, MPI_INT, out.data(), 4, MPI_INT, comm),
       PMPI_Allgather(in.data(), -1, MPI_INT, out.data(), 4, MPI_INT, comm));
  expect_bcast(comm, 0, 3000);
  MPI_Comm_free(&comm);
}

// A rank that gets another size than it expects still sends on what others wait for.
TEST(communicators, errors_of_sizes_are_those_of_the_receiver) {
  // Under MPICH with threads, errors found while waiting go to the handler of MPI_COMM_WORLD.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  each_size({4, 5, 7, 16, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    const auto expect = [&](MPI_Comm of, int receiver, int code) {
      EXPECT_EQ(class_of(code), rank == receiver ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << p << " ranks";
      expect_bcast(comm, 0, 30);
      PMPI_Barrier(of);
    };
    for (const int receiver : {1, 2, 3}) {
      for (const int each : {3, 20000}) {
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(comm, &own);
        MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
        std::vector<int> sent(static_cast<std::size_t>(p), each), taken = sent, places = sent;
        for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<int>(r) * each * 2;
        if (rank == 0) sent[static_cast<std::size_t>(receiver)] = each + 2;
        std::vector<int> in(static_cast<std::size_t>(2 * p * each)), out(in.size());
        expect(own, receiver,
               MPI_Alltoallv(in.data(), sent.data(), places.data(), MPI_INT, out.data(),
                             taken.data(), places.data(), MPI_INT, own));
        expect(own, receiver,
               MPI_Scatterv(in.data(), sent.data(), places.data(), MPI_INT, out.data(), each,
                            MPI_INT, 0, own));
        expect(own, 0,
               MPI_Gatherv(in.data(), rank == receiver ? each + 2 : each, MPI_INT, out.data(),
                           taken.data(), places.data(), MPI_INT, 0, own));
        MPI_Comm_free(&own);
      }
    }
  });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Errors in the first call on a communicator, and in a later one.
TEST(communicators, errors_of_types_that_are_not_committed_are_those_of_the_mpi) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  std::array<int, 8> data{};
  for (const bool first : {true, false}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!first) expect_bcast(comm, 0, 3000);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    EXPECT_EQ(class_of(MPI_Bcast(data.data(), 1, type, 0, comm)),
              class_of(PMPI_Bcast(data.data(), 1, type, 0, comm)));
    expect_bcast(comm, 0, 3000);
    MPI_Comm_free(&comm);
  }
  MPI_Type_free(&type);
}

// Rank 0 has null where the others have memory, and goes on to a call that is not ours.
TEST(communicators, first_call_may_be_of_nothing_at_different_addresses) {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  std::array<int, 2> memory{};
  const bool has_none = rank_in(MPI_COMM_WORLD) == 0;
  int* const from = has_none ? nullptr : memory.data();
  int* const to = has_none ? nullptr : from + 1;
  std::vector<int> all(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  std::vector<int> counts(all.size(), 1), places(all.size());
  counts[0] = 0;
  std::iota(places.begin(), places.end(), 0);
  using call_type = int (*)(int* in, int* out, MPI_Datatype type, MPI_Comm comm);
  const std::array<call_type, 3> calls{[](int* in, int* out, MPI_Datatype, MPI_Comm comm) {
                                         return MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, comm);
                                       },
                                       [](int* in, int*, MPI_Datatype type, MPI_Comm comm) {
                                         return MPI_Bcast(in, 2, type, 0, comm);
                                       },
                                       [](int* in, int*, MPI_Datatype type, MPI_Comm comm) {
                                         int nothing = 0;
                                         return MPI_Allgather(in, 2, type, &nothing, 2, type, comm);
                                       }};
  for (const call_type call : calls) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT_EQ(call(from, to, empty, comm), MPI_SUCCESS);
    MPI_Barrier(comm);
    EXPECT_EQ(MPI_Allgatherv(from, has_none ? 2 : 1, has_none ? empty : MPI_INT, all.data(),
                             counts.data(), places.data(), MPI_INT, comm),
              MPI_SUCCESS);
    expect_bcast(comm, 0, 3000);
    MPI_Comm_free(&comm);
  }
  MPI_Type_free(&empty);
}

TEST(communicators, of_threads_work_at_the_same_time) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  each_size({3}, [](MPI_Comm comm) {
    std::array<MPI_Comm, 2> comms{};
    for (MPI_Comm& one : comms) MPI_Comm_dup(comm, &one);
    {
      const auto work = [](MPI_Comm one) {
        for (int i = 0; i < 30; ++i) expect_bcast(one, i % size_of(one), 500);
      };
      std::jthread first(work, comms[0]);
      std::jthread second(work, comms[1]);
    }
    for (MPI_Comm& one : comms) MPI_Comm_free(&one);
  });
}

}  // namespace communicators_test
}  // namespace pleat::testing_ranks
