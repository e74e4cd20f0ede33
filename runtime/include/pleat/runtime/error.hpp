// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <string>

// for error, usage_error
#include <pleat/channels/error.hpp>

namespace pleat {

/// Thrown if the machine cannot provide what was requested: a processor outside the allowed set, a
/// binding the kernel refused, a topology that cannot be read, threads that cannot be started.
class PLEAT_API environment_error : public error {
 public:
  using error::error;
};

/// Thrown if a request names a processing unit or NUMA node that the machine does not have. The
/// request has to change.
class PLEAT_API no_such_place : public environment_error {
 public:
  using environment_error::environment_error;
};

/// Thrown if a run of a program ended early. The machine is ready for the next run.
class PLEAT_API run_error : public error {
 public:
  using error::error;
};

/// Thrown if virtual processors of one cluster wait at barriers of different labels, so that none
/// can continue.
class PLEAT_API label_mismatch : public run_error {
 public:
  label_mismatch(std::size_t rank, unsigned label, std::size_t other_rank, unsigned other_label);

  std::size_t rank, other_rank;  ///< two VPs of the same i-cluster, i the finer of the two labels
  unsigned label, other_label;   ///< the label at which each of them waits
};

/// Thrown if every virtual processor waits, and nothing is in flight that could wake one. The
/// message names operations in which some of them wait: "VP 1 in pop from VP 2, VP 3 in all_reduce
/// from VP 0, VP 0 in sync(0) and 61 more".
class PLEAT_API deadlock : public run_error {
 public:
  using run_error::run_error;
};

/// Thrown in strict mode if a message leaves the cluster that its superstep synchronises.
class PLEAT_API out_of_cluster : public run_error {
 public:
  out_of_cluster(std::size_t source, std::size_t destination, unsigned label, unsigned shared);

  std::size_t source, destination;
  unsigned label;   ///< the label of the superstep
  unsigned shared;  ///< number of leading index bits the two share: the finest label that delivers
};

/// Thrown in strict mode if memory that was lent read-only was written before the barrier that ends
/// the loan.
class PLEAT_API lent_memory_modified : public run_error {
 public:
  lent_memory_modified(std::size_t owner, std::size_t borrower);

  std::size_t owner, borrower;
};

/// Thrown if a virtual processor ended with an exception, which `cause()` returns.
class PLEAT_API vp_failed : public run_error {
 public:
  vp_failed(std::size_t rank, std::size_t size, std::string where, std::exception_ptr cause);
  /// Makes the error from `words` that another process has sent. On the ranks that do not carry out
  /// the VP, cause() has the same type only if this is a type of the library or std::bad_alloc;
  /// else it is a std::runtime_error with the same text.
  vp_failed(std::size_t rank, const std::string& words, std::exception_ptr cause);

  [[nodiscard]] std::exception_ptr cause() const noexcept { return cause_; }
  [[noreturn]] void rethrow_cause() const { std::rethrow_exception(cause_); }

  std::size_t rank;

 private:
  std::exception_ptr cause_;
};

}  // namespace pleat
