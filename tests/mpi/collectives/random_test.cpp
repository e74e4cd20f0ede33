// SPDX-License-Identifier: Apache-2.0
// Random programs: calls of every kind, one after the other without a barrier, on communicators of
// several orders. All ranks draw the same program; each knows what it must have in the end.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
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
    int number = 1;
    int flag = 0;
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
  const int p = size_of(comm);
  const int rank = rank_in(comm);
  const int next = (rank + 1) % p;
  const int last = (rank + p - 1) % p;
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
    const std::size_t what = draw() % 8;
    const std::size_t how = draw() % 7;
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

}  // namespace random_test
}  // namespace pleat::testing_ranks
