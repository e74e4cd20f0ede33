// SPDX-License-Identifier: Apache-2.0
// Random programs: calls of every kind, one after the other without a barrier, on communicators of
// several orders. All ranks draw the same program; each knows what it must have in the end.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <sched.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "random_call.hpp"
#include "ranks.hpp"
#include "seed.hpp"

namespace pleat::testing_ranks {
namespace random_test {

std::uint64_t common_seed() {
  std::uint64_t seed = 0;
  if (rank_in(MPI_COMM_WORLD) == 0) seed = ::seed();
  PMPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return seed;
}

class communicators {
 public:
  communicators() {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms_[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms_[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0 ? 0 : 1, rank, &comms_[2]);
  }
  communicators(const communicators&) = delete;
  communicators& operator=(const communicators&) = delete;
  ~communicators() {
    for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
  }
  MPI_Comm operator[](std::size_t i) const { return comms_[i % comms_.size()]; }

 private:
  std::array<MPI_Comm, 3> comms_{};
};

TEST(random_programs, end_with_what_they_must) {
  std::mt19937_64 draw(common_seed());
  const communicators comms;
  for (int i = 0; i < 60; ++i) {
    const MPI_Comm comm = comms[draw()];
    random_call call(draw, comm);
    call.perform();
    EXPECT_TRUE(call.is_right()) << call.operation();
  }
}

/// Calls that are pending, and messages around a ring between them.
class pending_calls {
 public:
  void begin(std::mt19937_64& draw, MPI_Comm comm) {
    calls_.push_back(std::make_unique<random_call>(draw, comm));
    requests_.push_back(MPI_REQUEST_NULL);
    calls_.back()->begin(&requests_.back());
  }
  [[nodiscard]] std::size_t number() const { return calls_.size(); }

  // Each rank waits in its own way: `own` differs from rank to rank.
  void complete_some(std::mt19937_64& own) {
    if (calls_.empty()) return;
    const int n = static_cast<int>(requests_.size());
    std::vector<int> indices(requests_.size());
    int number = 1, flag = 0;
    switch (own() % 6) {
      case 0:
        indices[0] = static_cast<int>(own() % requests_.size());
        MPI_Wait(&requests_[static_cast<std::size_t>(indices[0])], MPI_STATUS_IGNORE);
        break;
      case 1:
        MPI_Waitany(n, requests_.data(), indices.data(), MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Waitsome(n, requests_.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
        break;
      case 3:
        for (number = 0; number == 0;)
          MPI_Testsome(n, requests_.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
        break;
      case 4:
        indices[0] = n - 1;
        while (flag == 0) MPI_Test(&requests_.back(), &flag, MPI_STATUS_IGNORE);
        break;
      default:
        return complete_all();
    }
    std::sort(indices.begin(), indices.begin() + number, std::greater<>());
    for (int i = 0; i < number; ++i) check(static_cast<std::size_t>(indices[i]));
  }
  void complete_all() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    while (!calls_.empty()) check(calls_.size() - 1);
  }

 private:
  void check(std::size_t i) {
    EXPECT_EQ(requests_[i], MPI_REQUEST_NULL);
    EXPECT_TRUE(calls_[i]->is_right()) << calls_[i]->operation();
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<std::unique_ptr<random_call>> calls_;
  std::vector<MPI_Request> requests_;
};

/// A call that waits for other ranks, which come to it when they like.
void wait_otherwise(std::size_t how, MPI_Comm comm) {
  const int p = size_of(comm), rank = rank_in(comm);
  const int next = (rank + 1) % p, last = (rank + p - 1) % p;
  std::vector<int> sent(20000, rank);
  std::vector<int> got(sent.size());
  const int n = static_cast<int>(sent.size());
  const std::vector<int> expected(sent.size(), how < 4 ? last : next);
  switch (how) {
    case 0:
      if (rank != 0) MPI_Recv(got.data(), n, MPI_INT, last, 5, comm, MPI_STATUS_IGNORE);
      if (p > 1) MPI_Send(sent.data(), n, MPI_INT, next, 5, comm);
      if (rank == 0 && p > 1) MPI_Recv(got.data(), n, MPI_INT, last, 5, comm, MPI_STATUS_IGNORE);
      if (p == 1) got = expected;
      break;
    case 1:
      MPI_Sendrecv(sent.data(), n, MPI_INT, next, 6, got.data(), n, MPI_INT, last, 6, comm,
                   MPI_STATUS_IGNORE);
      break;
    case 2:
      got = sent;
      MPI_Sendrecv_replace(got.data(), n, MPI_INT, next, 7, last, 7, comm, MPI_STATUS_IGNORE);
      break;
    case 3: {
      MPI_Status status;
      MPI_Request request = MPI_REQUEST_NULL;
      int arrived = 0;
      MPI_Isend(sent.data(), n, MPI_INT, next, 8, comm, &request);
      MPI_Probe(last, 8, comm, &status);
      MPI_Get_count(&status, MPI_INT, &arrived);
      EXPECT_EQ(arrived, n);
      MPI_Recv(got.data(), n, MPI_INT, last, 8, comm, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    }
    case 4:
      MPI_Barrier(comm);
      return;
    case 5: {
      MPI_Comm half = MPI_COMM_NULL;
      MPI_Comm_split(comm, rank % 2, rank, &half);
      MPI_Comm_free(&half);
      return;
    }
    default: {
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &copy);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
      EXPECT_EQ(sum, p * (p - 1) / 2);
      MPI_Comm_free(&copy);
      return;
    }
  }
  EXPECT_EQ(got, expected);
}

TEST(random_programs, of_calls_that_are_pending_end_with_what_they_must) {
  const std::uint64_t seed = common_seed();
  std::mt19937_64 draw(seed);
  std::mt19937_64 own(seed + static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)));
  const communicators comms;
  pending_calls calls;
  for (int i = 0; i < 150; ++i) {
    const MPI_Comm comm = comms[draw()];
    const std::size_t what = draw() % 8, how = draw() % 7;
    if (what == 0) {
      random_call call(draw, comm);
      call.perform();
      EXPECT_TRUE(call.is_right()) << call.operation();
    } else if (what == 1) {
      wait_otherwise(how, comm);
    } else {
      calls.begin(draw, comm);
    }
    if (own() % 4 == 0 || calls.number() > 40) calls.complete_some(own);
  }
  calls.complete_all();
}

// Requests of several communicators, started again and again, on each rank in another order.
TEST(random_programs, of_persistent_calls_end_with_what_they_must) {
  const std::uint64_t seed = common_seed();
  std::mt19937_64 draw(seed);
  std::mt19937_64 own(seed + static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)));
  const communicators comms;
  std::vector<std::unique_ptr<random_call>> calls;
  std::vector<MPI_Request> requests(25, MPI_REQUEST_NULL);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const MPI_Comm comm = comms[draw()];
    calls.push_back(std::make_unique<random_call>(draw, comm));
    if (size_of(comm) == 1 || calls.back()->may_be_empty()) continue;  // MPICH's own are wrong
    calls.back()->init(&requests[i]);
    order.push_back(i);
  }
  for (int turn = 0; turn < 4; ++turn) {
    std::shuffle(order.begin(), order.end(), own);
    for (const auto& call : calls) call->reset();
    for (const std::size_t i : order) MPI_Start(&requests[i]);
    wait_otherwise(draw() % 7, comms[0]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (const std::size_t i : order) EXPECT_TRUE(calls[i]->is_right()) << calls[i]->operation();
  }
  for (const std::size_t i : order) MPI_Request_free(&requests[i]);
}

// Both MPIs fail without us too where their own non-blocking calls are pending on a communicator
// that is freed, so calls are completed before; and MPICH after its own persistent calls have been
// freed.
#ifdef MPICH_VERSION
constexpr bool is_mpich = true;
#else
constexpr bool is_mpich = false;
#endif
bool all_are_ours() {
  const char* const text = std::getenv("PLEAT_MPI_COLLECTIVES");
  return text != nullptr && std::string(text) == "all";
}

/// Makes a communicator of some ranks of another one, in one of the ways that there are; each rank
/// is in one.
MPI_Comm made_of(MPI_Comm comm, std::size_t how) {
  const int p = size_of(comm), rank = rank_in(comm);
  MPI_Comm made = MPI_COMM_NULL;
  switch (how % 7) {
    case 0:
      MPI_Comm_split(comm, rank % 2, -rank, &made);
      break;
    case 1: {
      const int periodic = 1;
      MPI_Cart_create(comm, 1, &p, &periodic, 0, &made);
      std::array<int, 2> ends{};
      MPI_Neighbor_allgather(&rank, 1, MPI_INT, ends.data(), 1, MPI_INT, made);
      EXPECT_EQ(ends, (std::array{(rank + p - 1) % p, (rank + 1) % p}));
      break;
    }
    case 2: {
      MPI_Request request = MPI_REQUEST_NULL;
      if (is_mpich && all_are_ours()) return made_of(comm, 6);  // calls on it are not ours
      MPI_Comm_idup(comm, &made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    }
    case 3: {
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Group some = MPI_GROUP_NULL;
      std::array<int, 3> range{rank % 2, p - 1, 2};
      MPI_Comm_group(comm, &all);
      MPI_Group_range_incl(all, 1, reinterpret_cast<int(*)[3]>(range.data()), &some);
      MPI_Comm_create_group(comm, some, 9, &made);
      MPI_Group_free(&some);
      MPI_Group_free(&all);
      break;
    }
    default:
      MPI_Comm_dup(comm, &made);
  }
  return made;
}

/// Calls between two halves of a communicator, of which ranks give different counts where the
/// standard ignores them. The ranks of both are in the communicator that is returned.
MPI_Comm joined(MPI_Comm comm) {
  const int p = size_of(comm), rank = rank_in(comm);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  if (p < 2) return made_of(comm, 6);
  const bool low = rank < p / 2;
  MPI_Comm_split(comm, low ? 0 : 1, rank, &half);
  MPI_Intercomm_create(half, 0, comm, low ? p / 2 : 0, 1, &both);
  std::vector<int> data(700, low ? 3 : 0);
  const int root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  MPI_Bcast(data.data(), root == MPI_PROC_NULL ? 0 : 700, MPI_INT, root, both);
  EXPECT_EQ(data, std::vector<int>(700, 3));
  const int one = 1;
  int others = 0;
  MPI_Allreduce(&one, &others, 1, MPI_INT, MPI_SUM, both);
  EXPECT_EQ(others, low ? p - p / 2 : p / 2);
  MPI_Intercomm_merge(both, low ? 0 : 1, &made);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&half);
  return made;
}

void make_and_free_persistent(std::mt19937_64& draw, MPI_Comm comm) {
  random_call call(draw, comm);
  const std::size_t starts = draw() % 3;
  if ((is_mpich && !all_are_ours()) || size_of(comm) == 1 || call.may_be_empty()) return;
  MPI_Request request = MPI_REQUEST_NULL;
  call.init(&request);
  for (std::size_t i = 0; i < starts; ++i) {
    call.reset();
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_TRUE(call.is_right()) << call.operation();
  }
  MPI_Request_free(&request);
}

/// Number of random programs that the environment asks for.
std::size_t programs() {
  const char* const text = std::getenv("PLEAT_TEST_PROGRAMS");
  return text == nullptr ? 1 : std::stoul(text);
}

void run_program_on_changing_communicators(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::mt19937_64 own(seed + static_cast<std::uint64_t>(rank_in(MPI_COMM_WORLD)));
  std::vector<MPI_Comm> comms{MPI_COMM_WORLD};
  pending_calls calls;
  for (int i = 0; i < 60 || comms.size() > 1; ++i) {
    const std::size_t at = draw() % comms.size();
    const MPI_Comm comm = comms[at];
    const std::size_t what = i < 60 ? draw() % 10 : 0, how = draw();
    const int late = static_cast<int>(draw() % 8) % size_of(comm);
    for (int turn = 0; rank_in(comm) == late && turn < 300; ++turn) ::sched_yield();
    if (what == 0 && at != 0) {
      calls.complete_all();  // non_blocking_test frees one with calls of ours pending
      (how % 2 == 0 ? MPI_Comm_disconnect : MPI_Comm_free)(&comms[at]);
      comms.erase(comms.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (what == 1 && comms.size() < 6) {
      if (how % 8 != 0 && how % 7 == 3) calls.complete_all();  // MPI_Comm_create_group stops them
      comms.push_back(how % 8 == 0 ? joined(comm) : made_of(comm, how));
    } else if (what == 2) {
      make_and_free_persistent(draw, comm);
    } else if (what == 3) {
      wait_otherwise(how % 7, comm);
    } else if (what < 7) {
      random_call call(draw, comm);
      call.perform();
      EXPECT_TRUE(call.is_right()) << call.operation();
    } else {
      calls.begin(draw, comm);
    }
    if (own() % 4 == 0) calls.complete_some(own);
  }
  calls.complete_all();
}

TEST(random_programs, of_communicators_that_come_and_go_end_with_what_they_must) {
  for (std::size_t i = 0; i < programs(); ++i) {
    run_program_on_changing_communicators(common_seed() + i);
    if (testing::Test::HasFailure()) FAIL() << "program " << i;
  }
}

}  // namespace random_test
}  // namespace pleat::testing_ranks
