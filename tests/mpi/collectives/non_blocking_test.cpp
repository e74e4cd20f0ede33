// SPDX-License-Identifier: Apache-2.0
// Non-blocking calls: progress in every call that waits, and all that may happen while they run.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "counted_messages.hpp"
#include "persistent.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace non_blocking_test {

/// A sum over the ranks that takes several rounds.
class pending_sum {
 public:
  explicit pending_sum(MPI_Comm comm)
      : in_(2000, rank_in(comm)), out_(in_.size()), expected_(in_.size()) {
    const int p = size_of(comm);
    expected_.assign(in_.size(), p * (p - 1) / 2);
    MPI_Iallreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_INT, MPI_SUM, comm,
                   &request);
  }
  pending_sum(const pending_sum&) = delete;
  pending_sum& operator=(const pending_sum&) = delete;
  void wait() {
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    expect_done();
  }
  void expect_done() const {
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(out_, expected_);
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  std::vector<int> in_, out_, expected_;
};

/// Memory for messages that are too long to be sent before they are received.
struct buffers {
  std::vector<int> data = std::vector<int>(200'000), more = data;
  static constexpr int n = 200'000;
};

/// A way of waiting in rank 0 for the last rank, and what that does for it; or the same call for
/// both, and for all ranks in between.
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
    const int p = size_of(comm);
    const int periodic = 1;
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
      const int p = size_of(comm);
      const int rank = rank_in(comm);
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

TEST(non_blocking, first_call_on_a_communicator_returns_before_others_come) {
  each_size(some_sizes, [](MPI_Comm comm) {
    for (const bool persistent : {false, true}) {
      MPI_Comm own = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &own);
      const int p = size_of(comm);
      const int rank = rank_in(comm);
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

// More than can have messages at the same time; the last is waited for first.
TEST(non_blocking, calls_of_any_number_are_pending_on_a_communicator) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const int rank = rank_in(comm);
    std::vector<std::vector<int>> data;
    for (int i = 0; i < 50; ++i) data.emplace_back(300, rank == i % size_of(comm) ? i + 1 : 0);
    std::vector<MPI_Request> requests(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) {
      MPI_Ibcast(data[i].data(), 300, MPI_INT, static_cast<int>(i) % size_of(comm), comm,
                 &requests[i]);
    }
    std::vector<int> blocking(300, rank == 0 ? 99 : 0);
    MPI_Bcast(blocking.data(), 300, MPI_INT, 0, comm);
    EXPECT_EQ(blocking, std::vector<int>(300, 99));
    for (std::size_t i = data.size(); i-- > 0;) {
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      EXPECT_EQ(data[i], std::vector<int>(300, static_cast<int>(i) + 1));
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
    const int p = size_of(comm);
    const int rank = rank_in(comm);
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
