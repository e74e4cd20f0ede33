// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Turn at the default machine of the process, which serves calls without a machine argument, such
/// as `pleat::sort(keys)`. The default machine has the processors of `machine()`: those that the
/// environment names, or all that this process may use. It is made at its first use and never
/// destroyed, so that it can be used until the process ends. A program that passes its own machines
/// never creates it.
///
/// ```cpp
/// pleat::default_machine on;                     // mine as long as `on` lives
/// on->run(1 << 20, program);
/// ```
///
/// Inside a parallel region of OpenMP or a task of oneTBB, which already use the cores, the turn
/// has a machine of one worker, the calling thread, which is not moved. Such turns do not exclude
/// each other: each thread of the region may have one.
///
/// Thread safety: turns of different threads exclude each other, so threads that need a machine at
/// the same time should each make one; a thread may have several turns. A forked child gets a
/// default machine of its own, even if the parent has a turn; the machine of a turn that began in
/// the parent refuses to run in the child.
///
/// Throws: usage_error inside a run or another call of the library, or if the machine waits for
/// this thread (see machine::turn). Throws also what `machine()` throws. Cost: two locks; for the
/// first turn that of making a machine.
class PLEAT_API default_machine {
 public:
  default_machine();
  ~default_machine();
  default_machine(const default_machine&) = delete;
  default_machine& operator=(const default_machine&) = delete;

  [[nodiscard]] machine& operator*() const noexcept { return *on_; }
  [[nodiscard]] machine* operator->() const noexcept { return on_; }

 private:
  std::unique_ptr<machine> single_;  // set inside OpenMP or oneTBB
  machine* on_;
  const void* home_;  // identifies the process that has the turn
  std::optional<machine::turn> turn_;
};

}  // namespace pleat
