// SPDX-License-Identifier: Apache-2.0
#include "held_machine.hpp"

#include <unistd.h>
#include <utility>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>

#include "interpreter_lock.hpp"

namespace pleat::python {

held_machine::held_machine(machine_options options)
    : options_(std::move(options)),
      machine_(std::make_shared<machine>(options_)),
      process_(::getpid()) {}

std::shared_ptr<machine> held_machine::use() {
  if (machine_ == nullptr)
    throw usage_error("this machine has been closed; make another one: pleat.machine()");
  if (const pid_t now = ::getpid(); now != process_) {
    machine_ = std::make_shared<machine>(options_);
    process_ = now;
  }
  return machine_;
}

void held_machine::close() noexcept {
  std::shared_ptr<machine> ended = std::move(machine_);  // machine_ changes under the lock alone
  if (ended == nullptr) return;
  const without_lock others;  // whoever runs on it may want the lock to end
  ended.reset();
}

void carry_out(held_machine* on, const std::function<run_report(machine&)>& work,
               std::size_t runs) {
  std::shared_ptr<machine> kept = on != nullptr ? on->use() : nullptr;
  run_report report;
  {
    const without_lock others;
    if (kept != nullptr) {
      report = work(*kept);
      kept.reset();
    } else {
      const default_machine turn;
      report = work(*turn);
    }
  }
  if (on == nullptr || !report.costs) return;
  on->costs = std::move(report.costs);
  on->counted_runs += runs;
}

}  // namespace pleat::python
