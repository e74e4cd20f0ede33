// SPDX-License-Identifier: Apache-2.0
// Progress of non-blocking calls in every call of MPI that waits.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pending_sum.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace progress_test {

/// Memory for messages that are too long to be sent before they are received.
struct buffers {
  std::vector<int> data = std::vector<int>(200'000), more = data;
  static constexpr int n = 200'000;
};

/// A call in which rank 0 waits, and the call of the last rank that ends the wait; or one call that
/// all ranks make.
struct way {
  std::string name;
  std::function<void(MPI_Comm, int other, buffers&)> wait, answer, between;
};
using call = void(MPI_Comm, int, buffers&);

std::vector<way> ways() {
  const auto nothing = [](MPI_Comm, int, buffers&) {};
  const auto send = [](MPI_Comm comm, int other, buffers& b) {
    MPI_Send(b.data.data(), b.n, MPI_INT, other, 3, comm);
  };
  const auto receive = [](MPI_Comm comm, int other, buffers& b) {
    MPI_Recv(b.more.data(), b.n, MPI_INT, other, 3, comm, MPI_STATUS_IGNORE);
  };
  const auto replace = [](MPI_Comm comm, int other, buffers& b) {
    MPI_Sendrecv_replace(b.more.data(), b.n, MPI_INT, other, 3, other, 3, comm, MPI_STATUS_IGNORE);
  };
  const auto swap = [](MPI_Comm comm, int other, buffers& b) {
    MPI_Sendrecv(b.data.data(), b.n, MPI_INT, other, 3, b.more.data(), b.n, MPI_INT, other, 3, comm,
                 MPI_STATUS_IGNORE);
  };
  // How to wait for the receipt of a message.
  const auto by = [](auto wait) {
    return [wait](MPI_Comm comm, int other, buffers& b) {
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      MPI_Irecv(b.more.data(), b.n, MPI_INT, other, 3, comm, &requests[1]);
      wait(requests.data());
      EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
    };
  };
  std::vector<way> all{
      {"Recv", receive, send, nothing},
      {"Send", send, receive, nothing},
      {"Ssend",
       [](MPI_Comm comm, int other, buffers& b) {
         MPI_Ssend(b.data.data(), 3, MPI_INT, other, 3, comm);
       },
       receive, nothing},
      {"Sendrecv", swap, swap, nothing},
      {"Sendrecv_replace", replace, replace, nothing},
      {"Probe",
       [](MPI_Comm comm, int, buffers& b) {
         MPI_Status status;
         MPI_Probe(MPI_ANY_SOURCE, 3, comm, &status);
         MPI_Recv(b.more.data(), b.n, MPI_INT, status.MPI_SOURCE, 3, comm, MPI_STATUS_IGNORE);
       },
       send, nothing},
      {"Mprobe",
       [](MPI_Comm comm, int other, buffers& b) {
         MPI_Message message;
         MPI_Mprobe(other, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
         MPI_Mrecv(b.more.data(), b.n, MPI_INT, &message, MPI_STATUS_IGNORE);
       },
       send, nothing},
      {"Iprobe",
       [receive](MPI_Comm comm, int other, buffers& b) {
         for (int flag = 0; flag == 0;) MPI_Iprobe(other, 3, comm, &flag, MPI_STATUS_IGNORE);
         receive(comm, other, b);
       },
       send, nothing},
      {"Wait", by([](MPI_Request* r) { MPI_Wait(&r[1], MPI_STATUS_IGNORE); }), send, nothing},
      {"Waitall", by([](MPI_Request* r) { MPI_Waitall(2, r, MPI_STATUSES_IGNORE); }), send,
       nothing},
      {"Waitany", by([](MPI_Request* r) {
         int index = 0;
         MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
         EXPECT_EQ(index, 1);
       }),
       send, nothing},
      {"Waitsome", by([](MPI_Request* r) {
         int number = 0;
         std::array<int, 2> indices{};
         MPI_Waitsome(2, r, &number, indices.data(), MPI_STATUSES_IGNORE);
         EXPECT_EQ(number, 1);
         EXPECT_EQ(indices[0], 1);
       }),
       send, nothing},
      {"Test", by([](MPI_Request* r) {
         for (int flag = 0; flag == 0;) MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
       }),
       send, nothing},
      {"Testall", by([](MPI_Request* r) {
         for (int flag = 0; flag == 0;) MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
       }),
       send, nothing},
      {"Request_get_status", by([](MPI_Request* r) {
         for (int flag = 0; flag == 0;) MPI_Request_get_status(r[1], &flag, MPI_STATUS_IGNORE);
         MPI_Wait(&r[1], MPI_STATUS_IGNORE);
       }),
       send, nothing},
  };
  const auto collective = [&](const std::string& name, const std::function<call>& each) {
    all.push_back({name, each, each, each});
  };
  collective("Barrier", [](MPI_Comm comm, int, buffers&) { MPI_Barrier(comm); });
  collective("Bcast", [](MPI_Comm comm, int, buffers& b) {
    MPI_Bcast(b.data.data(), 3000, MPI_INT, size_of(comm) - 1, comm);
  });
  collective("Allreduce of the MPI", [](MPI_Comm comm, int, buffers& b) {
    const std::array<short, 2> in{1, 1};  // a pair that the standard does not name for MPI_SUM
    MPI_Allreduce(in.data(), b.data.data(), 1, MPI_SHORT, MPI_MAX, comm);
    char one = 1;
    MPI_Allreduce(&one, b.data.data(), 1, MPI_CHAR, MPI_MAX, comm);
  });
  collective("Comm_dup", [](MPI_Comm comm, int, buffers&) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &made);
    MPI_Comm_free(&made);
  });
  collective("Comm_split", [](MPI_Comm comm, int, buffers&) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(comm, 0, 0, &made);
    MPI_Comm_free(&made);
  });
  collective("Neighbor_alltoall", [](MPI_Comm comm, int, buffers& b) {
    const int p = size_of(comm), periodic = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(comm, 1, &p, &periodic, 0, &ring);
    pending_sum next(comm);
    if (rank_in(comm) != 0) next.wait();
    const std::array<int, 2> out{1, 2};
    MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, b.more.data(), 1, MPI_INT, ring);
    EXPECT_EQ(b.more[0] + b.more[1], 3);  // the order of two neighbours of one rank is the MPI's
    if (rank_in(comm) == 0) next.wait();
    MPI_Comm_free(&ring);
  });
  collective("Win_fence", [](MPI_Comm comm, int, buffers& b) {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(b.data.data(), sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &window);
    pending_sum next(comm);
    if (rank_in(comm) != 0) next.wait();
    MPI_Win_fence(0, window);
    if (rank_in(comm) == 0) next.wait();
    MPI_Win_free(&window);
  });
  collective("File_write_all", [](MPI_Comm comm, int, buffers& b) {
    const std::string name = testing::TempDir() + "pleat_non_blocking_" +
                             std::to_string(size_of(comm)) + "." +
#ifdef OPEN_MPI
                             "openmpi";
#else
                             "mpich";
#endif
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    pending_sum next(comm);
    if (rank_in(comm) != 0) next.wait();
    MPI_File_write_all(file, b.data.data(), 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank_in(comm) == 0) next.wait();
    MPI_File_close(&file);
  });
  return all;
}

// Rank 0 waits for the last rank, which comes only when a call has ended that needs rank 0.
TEST(non_blocking, calls_make_progress_in_every_call_that_waits) {
  buffers b;
  for (const way& one : ways()) {
    each_size({2, 3, 5, 8}, [&](MPI_Comm comm) {
      SCOPED_TRACE(one.name);
      MPI_Comm other = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &other);
      const int p = size_of(comm), rank = rank_in(comm);
      pending_sum first(comm);
      pending_sum second(comm);
      if (rank != 0) {
        second.wait();
        first.wait();
      }
      if (rank == 0)
        one.wait(other, p - 1, b);
      else if (rank == p - 1)
        one.answer(other, 0, b);
      else
        one.between(other, 0, b);
      if (rank == 0) {
        first.wait();
        second.wait();
      }
      MPI_Comm_free(&other);
    });
  }
}

// A rank comes to a call that is not ours only when a call has ended that needs another one.
TEST(non_blocking, calls_make_progress_in_collective_calls_between_groups) {
  if (size_of(MPI_COMM_WORLD) < 4) return;
  each_size({4}, [](MPI_Comm comm) {
    const int rank = rank_in(comm);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm_split(comm, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, comm, rank < 2 ? 2 : 0, 1, &both);
    pending_sum sum(comm);
    if (rank != 0) sum.wait();
    int all = 0;
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, both);
    EXPECT_EQ(all, rank < 2 ? 5 : 1);
    if (rank == 0) sum.wait();
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  });
}

}  // namespace progress_test
}  // namespace pleat::testing_ranks
