// SPDX-License-Identifier: Apache-2.0
#include "engine/run_state.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/quota.hpp>
#include <pleat/runtime/vp.hpp>

#include "engine/other_processes.hpp"
#include "engine/vp_rings.hpp"
#include "engine/worker.hpp"

namespace pleat::detail {

namespace {

/// Refuses a run of M(v) if the VPs of this process alone take more memory than it can have: the
/// kernel would end the process in the middle of the run. Throws: usage_error.
void require_memory(std::size_t v, std::size_t here) {
  // The smallest frame of a coroutine has two addresses, its promise and its place in the program.
  constexpr std::uint64_t least = sizeof(vp) + 3 * sizeof(void*) + sizeof(promise<void>);
  constexpr std::uint64_t worth_a_look = std::uint64_t{1} << 30;
  const std::uint64_t bytes = here * least;
  if (bytes < worth_a_look) return;
  if (const std::uint64_t most = usable_memory(); bytes > most)
    throw usage_error("M(" + std::to_string(v) + "): the virtual processors of this process take " +
                      std::to_string(bytes >> 20) + " MiB at least, and it can have " +
                      std::to_string(most >> 20) +
                      " MiB of memory: run fewer, with more data for each");
}

}  // namespace

run_state::run_state(machine& m, worker_affinity where)
    : owner(m),
      rings(std::make_unique<vp_rings>()),
      affinities(std::move(where)),
      caller(affinities.how(), affinities.pu(0)),
      sleepers(affinities.size()) {
  for (std::size_t i = 0; i < affinities.size(); ++i)
    workers.push_back(std::make_unique<worker>(*this, i));
}

run_state::~run_state() = default;

void run_state::poison(std::exception_ptr cause) noexcept {
  {
    const std::scoped_lock lock(cause_mutex_);
    if (!cause_) cause_ = std::move(cause);
  }
  // seq_cst: pairs with the load in poisoned. Either a retiring worker sees this flag, or this
  // thread sees the worker's flag.
  poisoned_.flag.store(true, std::memory_order_seq_cst);
  sleepers.wake(0, workers.size(), workers.size());
}

void run_state::look() noexcept {
  if (watching != nullptr && watching->over() && !poisoned()) poison(watching->failure());
}

void run_state::prepare(std::size_t v, std::size_t present, program_ref what,
                        std::chrono::steady_clock::time_point start) {
  watching = current_watch;
  if (others == nullptr) return plan_run(v, present, what, start);
  others->enter();
  try {
    others->begin(v);
    plan_run(v, present, what, start);
  } catch (...) {
    std::rethrow_exception(others->conclude(std::current_exception()));
  }
}

void run_state::plan_run(std::size_t v, std::size_t present, program_ref what,
                         std::chrono::steady_clock::time_point start) {
  if (v == 0 || v >> 32 != 0)
    throw usage_error("M(" + std::to_string(v) + "): a run needs 1 to 2^32 - 1 virtual processors");
  std::size_t active = std::min(v, present);
  if (others != nullptr) {
    if (plan == nullptr || plan->folding.vps() != v)
      plan = std::make_unique<run_plan>(
          v, others->layout(), [this](std::size_t first, std::size_t last, std::size_t members) {
            return others->part_in(first, last, members);
          });
    active = plan->workers.size();
  } else if (plan == nullptr || plan->folding.vps() != v || plan->workers.size() != active) {
    plan = std::make_unique<run_plan>(v, active);
  }
  require_memory(v, plan->ranks_here().size());
  if (recorder != nullptr) recorder->start(v);
  now = {start,
         what,
         plan.get(),
         static_cast<std::uint32_t>(active),
         thread_environment::current(),
         plan->begin_run(),
         termination.start(active)};
}

void run_state::give_exceptions_back() const noexcept {
  int all = 0;
  for (std::size_t i = 0; i < now.active; ++i) all |= workers[i]->of_run().raised;
  if (all != 0) mark_raised(all);
}

std::exception_ptr run_state::left_over() const noexcept {
  for (std::size_t i = 0; i < now.active; ++i) {
    if (std::exception_ptr cause = workers[i]->left_over()) return cause;
  }
  return nullptr;
}

std::exception_ptr run_state::finish(const std::function<void()>& make_report) noexcept {
  const std::span used(workers.data(), now.active);
  const bool failed = poisoned();
  for (const auto& w : used) w->discard_messages(failed);
  std::exception_ptr cause = failed ? nullptr : left_over();
  if (poisoned()) {
    poisoned_.flag.store(false, std::memory_order_relaxed);  // no worker is running
    cause = std::exchange(cause_, nullptr);
  }
  try {
    if (!cause) make_report();
  } catch (...) {
    cause = std::current_exception();
  }
  if (others != nullptr) cause = others->conclude(std::move(cause));
  for (const auto& w : used) w->drop_attachments();
  rings->clear();
  return cause;
}

run_report run_state::report() {
  run_report report;
  report.vps = plan->folding.vps();
  report.uncounted = {};
  if (recorder != nullptr && others == nullptr) {
    std::shared_ptr<const message_log> log = recorder->take_log();
    report.costs = std::move(recorder->counted()).trace(report.vps);
    report.costs->keep(std::move(log));
  }
  report.processors = static_cast<unsigned>(plan->folding.processors());
  const auto& performed = workers[0]->supersteps();  // by VP 0, here or on process 0
  supersteps_.unshared().assign(performed.begin(), performed.begin() + label_count(report.vps));
  report.supersteps = supersteps_;
  if (times) times_.unshared().resize(now.active);
  for (std::size_t i = 0; i < now.active; ++i) {
    const worker::result& of = workers[i]->of_run();
    report.messages += of.delivered.messages;
    report.bytes += of.delivered.bytes;
    if (times) times_.unshared()[i] = of.times;
    report.timeline_lost += of.timeline_lost;
    if (timeline) report.timeline.unshared().push_back(workers[i]->take_timeline());
  }
  if (times) report.times = times_;
  return report;
}

void run_state::add_other_processes(run_report& report) {
  if (others == nullptr) return;
  if (recorder != nullptr) report.costs = others->take_costs().trace(report.vps);
  report.messages = others->of_run().messages;
  report.bytes = others->of_run().bytes;
  report.supersteps = {};  // drops the reference, so that the list is reused
  const auto& performed = others->of_run().supersteps;
  supersteps_.unshared().assign(performed.begin(), performed.begin() + label_count(report.vps));
  report.supersteps = supersteps_;
}

}  // namespace pleat::detail
