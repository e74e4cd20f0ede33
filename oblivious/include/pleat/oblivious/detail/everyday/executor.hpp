// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::everyday {

/// Executor of a call: a given machine, or the default one, which is made only if the call leaves
/// its caller's thread; inside another call the caller's thread (call_machine).
class executor {
 public:
  executor() = default;
  /// Throws: usage_error for a machine over ranks.
  explicit executor(machine& on) : given_(&on) { on.require_one_memory(); }
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;

  [[nodiscard]] machine& on() {
    if (!taken_) given_ != nullptr ? taken_.emplace(*given_) : taken_.emplace();
    return **taken_;
  }

  /// Number of processors that can work for a call.
  [[nodiscard]] std::size_t threads() { return inside_a_call() ? 1 : on().threads(); }

  /// Runs the program of a VP; what one of them throws is thrown from here.
  template <vp_program Program>
  void run(std::size_t vps, run_report* report, const Program& program) {
    run_report done = detail::run_program(on(), vps, program);
    if (report != nullptr) *report = std::move(done);
  }

 private:
  machine* given_ = nullptr;
  std::optional<call_machine> taken_;
};

}  // namespace pleat::detail::everyday
