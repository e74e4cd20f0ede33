// SPDX-License-Identifier: Apache-2.0
#include "held_machine.hpp"

#include <numeric>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/error.hpp>

#include "bindings.hpp"
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

namespace {

void carry_out(held_machine* on, const std::function<run_report(machine&)>& work, std::size_t runs,
               bool is_watched) {
  std::shared_ptr<machine> kept = on != nullptr ? on->use() : nullptr;
  run_report report;
  {
    const without_lock others;
    std::optional<detail::watch> looking;
    if (is_watched) {
      looking.emplace([&] {
        const with_lock lock;
        check_signals();
        const std::span<const std::uint64_t> of_labels = looking->supersteps;
        if (on != nullptr && on->progress)
          on->progress(std::reduce(of_labels.begin(), of_labels.end()));
      });
    }
    if (kept != nullptr) {
      report = work(*kept);
      kept.reset();
    } else {
      const default_machine turn;
      report = work(*turn);
    }
    if (looking) looking->rethrow();
  }
  if (on == nullptr || !report.costs) return;
  on->costs = std::move(report.costs);
  on->counted_runs += runs;
}

}  // namespace

void carry_out(held_machine* on, const std::function<run_report(machine&)>& work,
               std::size_t runs) {
  carry_out(on, work, runs, true);
}

void carry_out_whole(held_machine* on, const std::function<run_report(machine&)>& work) {
  carry_out(on, work, 1, on != nullptr && on->options().trace.has_value());
}

}  // namespace pleat::python
