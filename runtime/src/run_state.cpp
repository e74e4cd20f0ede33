// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <pleat/runtime/detail/run_state.hpp>
#include <pleat/runtime/detail/vp_channels.hpp>
#include <pleat/runtime/detail/worker.hpp>

namespace pleat::detail {

run_state::run_state(machine& m, std::size_t size)
    : owner(m), channels(std::make_unique<vp_channels>()), sleepers(size) {
  for (std::size_t i = 0; i < size; ++i) workers.push_back(std::make_unique<worker>(*this, i));
}

run_state::~run_state() = default;

void run_state::poison(std::exception_ptr cause) noexcept {
  {
    const std::scoped_lock lock(cause_mutex_);
    if (!cause_) cause_ = std::move(cause);
  }
  poisoned_.flag.store(true, std::memory_order_release);  // pairs with the acquire in poisoned
  sleepers.wake(0, workers.size(), workers.size());
}

void run_state::prepare(std::size_t v, program_ref what,
                        std::chrono::steady_clock::time_point now) {
  active = std::min(v, workers.size());
  program = what;
  start = now;
  if (plan == nullptr || plan->folding.vps() != v) plan = std::make_unique<run_plan>(v, active);
  plan->reset();
  if (recorder != nullptr) recorder->start(v);
  termination.start(active);
}

std::exception_ptr run_state::finish() noexcept {
  for (std::size_t i = 0; i < active; ++i) workers[i]->discard_messages();
  for (std::size_t i = 0; i < active && !poisoned(); ++i) workers[i]->look_for_left_overs();
  for (std::size_t i = 0; i < active; ++i) workers[i]->drop_attachments();
  channels->clear();
  poisoned_.flag.store(false, std::memory_order_relaxed);  // no worker is running
  return std::exchange(cause_, nullptr);
}

run_report run_state::report() {
  run_report report;
  if (recorder != nullptr) report.costs = recorder->finish();
  report.vps = plan->folding.vps();
  report.processors = static_cast<unsigned>(active);
  report.supersteps.resize(label_count(report.vps));
  for (std::size_t i = 0; i < active; ++i) {
    worker& w = *workers[i];
    for (std::size_t label = 0; label < report.supersteps.size(); ++label)
      report.supersteps[label] += w.supersteps()[label];
    report.messages += w.delivered().messages;
    report.bytes += w.delivered().bytes;
    if (times) report.times.push_back(w.times().times());
    if (timeline) report.timeline.push_back(w.times().take_timeline());
    report.timeline_lost += w.times().lost();
  }
  return report;
}

}  // namespace pleat::detail
