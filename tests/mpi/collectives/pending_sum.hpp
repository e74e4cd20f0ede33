// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <vector>

#include <gtest/gtest.h>

#include "ranks.hpp"

namespace pleat::testing_ranks {

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

}  // namespace pleat::testing_ranks
