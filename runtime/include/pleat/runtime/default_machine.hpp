// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <pleat/runtime/machine.hpp>

namespace pleat {

/// A turn at the process's own machine: the one used by calls that name none, such as
/// `pleat::sort(keys)`. It has the processors that `machine()` has, the environment's or all this
/// process may use. It is made when it is first asked for, and never destroyed, so that it may be
/// used up to the end of the process; a program that names its machines never has it.
///
/// ```cpp
/// pleat::default_machine on;                     // mine as long as `on` lives
/// on->run(1 << 20, program);
/// ```
///
/// Inside a parallel region of OpenMP or a task of oneTBB, which have the cores already, it is a
/// machine of one worker, the calling thread, which is not moved. Such turns exclude nobody: each
/// thread of the region may have one.
///
/// Thread safety: turns of threads exclude each other, so threads that need a machine at the same
/// time had better make two; a thread may have several. A forked child gets a machine of its own,
/// also where the parent has a turn; that turn's machine is the parent's and refuses to run in the
/// child.
///
/// Throws: usage_error inside a run or another call of the library, or if the machine waits for
/// this thread (see machine::turn). What `machine()` throws. Cost: two locks; the first time that
/// of a machine.
class PLEAT_API default_machine {
 public:
  default_machine();
  ~default_machine();
  default_machine(const default_machine&) = delete;
  default_machine& operator=(const default_machine&) = delete;

  [[nodiscard]] machine& operator*() const noexcept { return *on_; }
  [[nodiscard]] machine* operator->() const noexcept { return on_; }

 private:
  std::unique_ptr<machine> single_;  // in a foreign region
  machine* on_;
  const void* home_;  // of the process that had the turn
  std::optional<machine::turn> turn_;
};

}  // namespace pleat
