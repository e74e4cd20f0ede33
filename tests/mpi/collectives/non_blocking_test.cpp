// SPDX-License-Identifier: Apache-2.0
// Non-blocking and persistent calls: all that may happen while they run.
#include <array>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "counted_messages.hpp"
#include "pending_sum.hpp"
#include "persistent.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace non_blocking_test {

TEST(non_blocking, first_call_on_a_communicator_returns_before_others_come) {
  each_size(some_sizes, [](MPI_Comm comm) {
    for (const bool persistent : {false, true}) {
      MPI_Comm own = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &own);
      const int p = size_of(comm), rank = rank_in(comm);
      if (rank > 0) MPI_Recv(nullptr, 0, MPI_INT, rank - 1, 4, comm, MPI_STATUS_IGNORE);
      std::vector<int> data(3000, rank == p - 1 ? 7 : 0);
      MPI_Request request = MPI_REQUEST_NULL;
      if (!persistent) MPI_Ibcast(data.data(), 3000, MPI_INT, p - 1, own, &request);
      if (persistent) {
        PLEAT_INIT(Bcast)(data.data(), 3000, MPI_INT, p - 1, own, MPI_INFO_NULL, &request);
        MPI_Start(&request);
      }
      if (rank + 1 < p) MPI_Send(nullptr, 0, MPI_INT, rank + 1, 4, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      EXPECT_EQ(data, std::vector<int>(3000, 7));
      MPI_Comm_free(&own);
    }
  });
}

void add(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i) {
    for (const int at : {0, 2})
      static_cast<int*>(inout)[3 * i + at] += static_cast<int*>(in)[3 * i + at];
  }
}

TEST(non_blocking, types_and_operators_and_communicators_may_be_freed_at_once) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    std::vector<std::vector<int>> out(10, std::vector<int>(300));
    const std::vector<int> in(300, 1);
    std::vector<MPI_Request> requests(out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      MPI_Comm own = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &own);
      MPI_Datatype apart = MPI_DATATYPE_NULL;
      MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
      MPI_Type_commit(&apart);
      MPI_Op op = MPI_OP_NULL;
      MPI_Op_create(add, 1, &op);
      MPI_Iallreduce(in.data(), out[i].data(), 100, apart, op, own, &requests[i]);
      MPI_Op_free(&op);
      MPI_Type_free(&apart);
      EXPECT_EQ(op, MPI_OP_NULL);
      EXPECT_EQ(apart, MPI_DATATYPE_NULL);
      MPI_Comm_free(&own);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    std::vector<int> expected(300);
    for (std::size_t i = 0; i < 300; i += 3) expected[i] = expected[i + 2] = p;
    for (const std::vector<int>& one : out) EXPECT_EQ(one, expected);
  });
}

TEST(non_blocking, calls_send_the_messages_of_blocking_ones) {
  each_size(all_sizes, [](MPI_Comm comm) {
    if (size_of(comm) == 1) return;
    const int root = size_of(comm) - 1;
    std::vector<int> in(700), out(700);
    const auto wait = [](MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); };
    const auto expect_same = [&](const auto& blocking, const auto& non_blocking) {
      const message_count a = counted(blocking);
      const message_count b = counted([&] {
        MPI_Request request = MPI_REQUEST_NULL;
        non_blocking(&request);
        wait(request);
      });
      EXPECT_GT(a.sent + a.received, 0U);
      EXPECT_EQ(a.sent, b.sent);
      EXPECT_EQ(a.sent_bytes, b.sent_bytes);
      EXPECT_EQ(a.received, b.received);
      EXPECT_EQ(a.received_bytes, b.received_bytes);
    };
    expect_same([&] { MPI_Bcast(in.data(), 700, MPI_INT, root, comm); },
                [&](MPI_Request* r) { MPI_Ibcast(in.data(), 700, MPI_INT, root, comm, r); });
    expect_same([&] { MPI_Allreduce(in.data(), out.data(), 700, MPI_INT, MPI_SUM, comm); },
                [&](MPI_Request* r) {
                  MPI_Iallreduce(in.data(), out.data(), 700, MPI_INT, MPI_SUM, comm, r);
                });
    expect_same([&] { MPI_Alltoall(in.data(), 10, MPI_INT, out.data(), 10, MPI_INT, comm); },
                [&](MPI_Request* r) {
                  MPI_Ialltoall(in.data(), 10, MPI_INT, out.data(), 10, MPI_INT, comm, r);
                });
  });
}

// One rank begins with the last one, so that requests are not taken for each other.
TEST(non_blocking, persistent_calls_are_started_in_any_order_and_keep_what_they_use) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Op_create(add, 1, &op);
    std::vector<std::vector<int>> in(5, std::vector<int>(300)), out = in;
    std::vector<MPI_Request> requests(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      PLEAT_INIT(Allreduce)
      (in[i].data(), out[i].data(), 100, apart, op, comm, MPI_INFO_NULL, &requests[i]);
    }
    MPI_Type_free(&apart);
    MPI_Op_free(&op);
    for (int turn = 1; turn < 4; ++turn) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i].assign(300, turn * (static_cast<int>(i) + rank));
      }
      if (rank == 1) {
        for (std::size_t i = in.size(); i-- > 0;) MPI_Start(&requests[i]);
      } else {
        MPI_Startall(static_cast<int>(requests.size()), requests.data());
      }
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const int sum = turn * (static_cast<int>(i) * p + p * (p - 1) / 2);
        EXPECT_EQ(out[i][0], sum);
        EXPECT_EQ(out[i][1], 0);
        EXPECT_EQ(out[i][299], sum);
      }
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
}

std::pair<MPI_Comm, int> last_error;
int class_of(int code) {
  int result = 0;
  MPI_Error_class(code, &result);
  return result;
}
void note_error(MPI_Comm* comm, int* code, ...) { last_error = {*comm, class_of(*code)}; }

TEST(non_blocking, errors_are_those_of_the_request_and_of_the_communicator) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note_error, &handler);
  each_size(some_sizes, [&](MPI_Comm comm) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &own);
    MPI_Comm_set_errhandler(own, handler);
    const bool fails = rank_in(comm) == 1;
    last_error = {MPI_COMM_NULL, MPI_SUCCESS};
    std::vector<int> data(150);
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(
        MPI_Iscatter(data.data(), 5, MPI_INT, &data[140], fails ? 3 : 5, MPI_INT, 0, own, &request),
        MPI_SUCCESS);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(class_of(code), fails ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    if (fails && size_of(comm) == 2) {
      EXPECT_EQ(last_error.first, own);
      EXPECT_EQ(last_error.second, MPI_ERR_TRUNCATE);
    }
    // Wrong arguments are the MPI's.
    EXPECT_NE(MPI_Ibcast(data.data(), -1, MPI_INT, 0, own, &request), MPI_SUCCESS);
    EXPECT_EQ(last_error.first, own);
    // A receive that cannot be is not waited for.
    pending_sum sum(comm);
    EXPECT_NE(MPI_Recv(data.data(), -1, MPI_INT, 0, 3, own, MPI_STATUS_IGNORE), MPI_SUCCESS);
    sum.wait();
    PMPI_Barrier(comm);
    MPI_Comm_free(&own);
  });
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST(non_blocking, calls_of_threads_are_pending_at_the_same_time) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  each_size({3}, [](MPI_Comm comm) {
    std::array<MPI_Comm, 3> comms{};
    for (MPI_Comm& one : comms) MPI_Comm_dup(comm, &one);
    {
      const auto work = [](MPI_Comm one) {
        for (int i = 0; i < 20; ++i) {
          pending_sum first(one);
          pending_sum second(one);
          int number = rank_in(one) == i % 3 ? i : -1;
          MPI_Bcast(&number, 1, MPI_INT, i % 3, one);
          EXPECT_EQ(number, i);
          if (rank_in(one) == 1) MPI_Send(&number, 1, MPI_INT, 2, i, one);
          if (rank_in(one) == 2) MPI_Recv(&number, 1, MPI_INT, 1, i, one, MPI_STATUS_IGNORE);
          second.wait();
          first.wait();
        }
      };
      std::jthread a(work, comms[0]);
      std::jthread b(work, comms[1]);
      work(comms[2]);
    }
    for (MPI_Comm& one : comms) MPI_Comm_free(&one);
  });
}

}  // namespace non_blocking_test
}  // namespace pleat::testing_ranks
