// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <memory>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/frame_arena.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail {

/// True on a thread that executes a call of the library without a run: callables that it calls are
/// inside that call, as they are on the workers of a run.
PLEAT_API inline thread_local constinit bool works_alone = false;

/// Sets works_alone until its destruction.
class alone_scope {
 public:
  alone_scope() noexcept : outer_(works_alone) { works_alone = true; }
  ~alone_scope() { works_alone = outer_; }
  alone_scope(const alone_scope&) = delete;
  alone_scope& operator=(const alone_scope&) = delete;

 private:
  const bool outer_;
};

/// Tells whether the calling thread is inside a run or a call of the library: in a VP's program, or
/// in a callable of such a call.
[[nodiscard]] inline bool inside_a_call() noexcept {
  return current_execution != nullptr || works_alone;
}

/// Throws usage_error inside a run or a call of the library, where runs and turns are not allowed.
PLEAT_API void require_outside_calls();

/// Machine of a call of the library: the machine argument, else the default machine. Inside another
/// call or a run it is a machine of the calling thread alone, so that the call does all of its work
/// on that worker, independently of load and of the number of processors.
///
/// Thread safety: that of default_machine. Cost: inside another call a lock, and the first time
/// that of a machine of one worker; else that of default_machine, or nothing.
class PLEAT_API call_machine {
 public:
  /// Throws: as default_machine.
  call_machine();
  /// Throws: usage_error for a machine over ranks.
  explicit call_machine(machine& named);
  ~call_machine();
  call_machine(const call_machine&) = delete;
  call_machine& operator=(const call_machine&) = delete;

  [[nodiscard]] machine& operator*() const noexcept { return *on_; }
  [[nodiscard]] machine* operator->() const noexcept { return on_; }

 private:
  void take_inner();

  std::unique_ptr<machine> inner_;
  std::unique_ptr<default_machine> shared_;
  const void* home_ = nullptr;  // identifies the process that has inner_
  machine* on_;
};

}  // namespace pleat::detail
