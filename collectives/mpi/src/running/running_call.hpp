// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mpi.h>
#include <optional>

#include "communicator/communicator.hpp"
#include "running/task.hpp"

namespace pleat::preloaded {

/// Request of the MPI that stands for a call of ours, so that all of its functions know it: receipt
/// of an empty message of this rank to itself, which is sent when the call has ended.
///
/// Thread safety: each object one thread at a time.
class own_request {
 public:
  own_request();
  own_request(const own_request&) = delete;
  own_request& operator=(const own_request&) = delete;
  ~own_request();

  /// Makes a request that is active, or a persistent one that is not yet. Throw: mpi_failure.
  [[nodiscard]] MPI_Request active() const;
  [[nodiscard]] MPI_Request persistent() const;

  /// Completes the active request. If the call has failed, the message is too long, and waiting for
  /// the request has an error of class MPI_ERR_TRUNCATE.
  void complete(bool failed) const noexcept;

 private:
  int tag_;
};

/// Collective call that goes on, whenever the program calls the MPI, while the program does other
/// things.
class running_call {
 public:
  running_call(std::unique_ptr<communicator> on, plan work, bool has_request = true)
      : on_(std::move(on)), work_(std::move(work)) {
    if (has_request) request_.emplace();
  }

  [[nodiscard]] communicator& on() const noexcept { return *on_; }
  /// Requires: it has a request.
  [[nodiscard]] const own_request& request() const noexcept { return *request_; }

  /// Begins the call, whose request, if it has one, is active, and goes on as far as it can without
  /// waiting. A failure is that of the request. A persistent call begins again when it has ended.
  static void start(const std::shared_ptr<running_call>& call) noexcept;

 private:
  friend void advance() noexcept;

  /// Goes on as far as it can without waiting. Returns whether it has ended.
  [[nodiscard]] bool go_on() noexcept;
  void end() noexcept;

  std::unique_ptr<communicator> on_;
  plan work_;
  std::optional<own_request> request_;
  std::optional<task> running_;  // since it may begin
  int code_ = MPI_SUCCESS;
};

/// Tells whether calls are running, of any thread.
[[nodiscard]] bool any_call_runs() noexcept;

}  // namespace pleat::preloaded
