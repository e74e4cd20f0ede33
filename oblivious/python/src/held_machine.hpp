// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sys/types.h>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine.hpp>

#include "bindings.hpp"

namespace pleat::python {

/// A machine as Python holds it. A forked child gets one of its own, of the same options, when it
/// first uses it. Thread safety: the interpreter's lock is held during all calls but those of a
/// machine that use() has returned.
class held_machine {
 public:
  /// Throws: as pleat::machine.
  explicit held_machine(machine_options options);
  held_machine(const held_machine&) = delete;
  held_machine& operator=(const held_machine&) = delete;
  ~held_machine() { close(); }

  /// The machine, which lives as long as somebody uses it. Throws: usage_error after close(); what
  /// pleat::machine throws, in a forked child.
  [[nodiscard]] std::shared_ptr<machine> use();
  [[nodiscard]] bool closed() const noexcept { return machine_ == nullptr; }
  /// Ends the machine's threads, when the calls under way have ended.
  void close() noexcept;

  [[nodiscard]] const machine_options& options() const noexcept { return options_; }

  std::optional<cost_trace> costs;  ///< of the last run, if it was counted
  std::size_t counted_runs = 0;
  /// Called with the lock and the number of supersteps so far, a few times a second; may be empty.
  std::function<void(std::uint64_t)> progress;

 private:
  machine_options options_;
  std::shared_ptr<machine> machine_;
  pid_t process_;
};

/// Calls work(machine) without the interpreter's lock: on `on`, or on the default machine if it is
/// null. `runs`: how many runs the work is made of, if it is not done without. A few times a second
/// signals are looked for: what their handlers raise ends the work, and is thrown.
void carry_out(held_machine* on, const std::function<run_report(machine&)>& work,
               std::size_t runs = 1);
/// Does the same, but looks for no signals, unless it is counted: the work is short, and must end
/// whole.
void carry_out_whole(held_machine* on, const std::function<run_report(machine&)>& work);

}  // namespace pleat::python

template <>
class pybind11::detail::type_caster<pleat::python::held_machine>
    : public pleat::python::made_object_caster<pleat::python::held_machine> {};
