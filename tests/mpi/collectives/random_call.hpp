// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mpi.h>
#include <random>
#include <vector>

namespace pleat::testing_ranks {

/// A collective call drawn at random, with what it must result in: all ranks draw the same one.
/// It stays where it is while its request is pending.
class random_call {
 public:
  random_call(std::mt19937_64& draw, MPI_Comm comm);
  random_call(const random_call&) = delete;
  random_call& operator=(const random_call&) = delete;

  void perform() { blocking_(); }
  void begin(MPI_Request* request) { non_blocking_(request); }
  /// Makes a persistent request.
  void init(MPI_Request* request) { persistent_(request); }

  /// Before the call is started again: forgets its result.
  void reset() { out_ = before_; }
  [[nodiscard]] bool is_right() const { return out_ == expected_; }
  [[nodiscard]] int operation() const { return operation_; }
  /// Tells whether it may have no data at all, so that it is the MPI's.
  [[nodiscard]] bool may_be_empty() const { return may_be_empty_; }

 private:
  int operation_;
  bool may_be_empty_;
  std::vector<int> in_, out_, before_, expected_;
  std::vector<int> counts_, places_, bytes_before_;
  std::vector<MPI_Datatype> types_;
  std::function<void()> blocking_;
  std::function<void(MPI_Request*)> non_blocking_, persistent_;
};

}  // namespace pleat::testing_ranks
