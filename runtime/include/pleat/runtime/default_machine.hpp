// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

namespace pleat {

/// A turn at the process's own machine: the one used by calls that name none, such as
/// `pleat::sort(keys)`. It has the processors that `machine()` has, the environment's or all this
/// process may use. It is made when it is first asked for, and never destroyed, so that it may be
/// used up to the end of the process; a program that names its machines never has it.
///
///     pleat::default_machine on;                     // mine as long as `on` lives
///     on->run(1 << 20, program);
///
/// Thread safety: turns exclude each other, so threads that need a machine at the same time had
/// better make two. A forked child gets a machine of its own.
///
/// Throws: usage_error inside a run, or if this thread has a turn already: it would wait for
/// itself. What `machine()` throws. Cost: a mutex; the first time that of a machine.
class default_machine {
 public:
  default_machine();
  ~default_machine();
  default_machine(const default_machine&) = delete;
  default_machine& operator=(const default_machine&) = delete;

  [[nodiscard]] machine& operator*() const noexcept { return *on_; }
  [[nodiscard]] machine* operator->() const noexcept { return on_; }

 private:
  machine* on_;
};

}  // namespace pleat
