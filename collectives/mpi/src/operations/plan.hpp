// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "running/task.hpp"

namespace pleat::preloaded {

/// Work of a collective call whose arguments have been examined: carried out once or, in a
/// persistent call, several times on the same communicator; or nothing, if the call is the MPI's.
class plan {
 public:
  plan() = default;
  /// `run()` makes the work's task, which may use `run` until it ends.
  template <class Run>
  requires std::same_as<std::invoke_result_t<Run&>, task> plan(
      Run run)  // NOLINT(google-explicit-constructor): operations return their work
      : work_(std::make_unique<kept<Run>>(std::move(run))) {}

  explicit operator bool() const noexcept { return work_ != nullptr; }
  /// Makes the task. The plan outlives it.
  task operator()() const { return work_->run(); }

 private:
  struct work {
    virtual ~work() = default;
    virtual task run() = 0;
  };
  template <class Run> struct kept : work {
    explicit kept(Run run) : run_(std::move(run)) {}
    task run() override { return run_(); }
    Run run_;
  };

  std::unique_ptr<work> work_;
};

}  // namespace pleat::preloaded
