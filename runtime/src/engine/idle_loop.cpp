// SPDX-License-Identifier: Apache-2.0
#include "engine/idle_loop.hpp"

#include <algorithm>
#include <cstdint>
#include <sched.h>
#include <string>

#include <pleat/runtime/error.hpp>

#include "engine/other_processes.hpp"
#include "engine/worker.hpp"
#include "threads/thread_team.hpp"

namespace pleat::detail {

using namespace std::chrono_literals;

idle_loop::patience idle_loop::patience_of(wait_policy policy) noexcept {
  switch (policy) {
    case wait_policy::spin:
      return {1 << 16, 0us};
    case wait_policy::yield:
      return {tight_spins, 500us};
    case wait_policy::park:
      return {0, 0us};
    case wait_policy::automatic:
      break;
  }
  return {4000, while_waking_takes};
}

void idle_loop::start() noexcept {
  patience_ = patience_of(run_.waiting);
  others_ = vps_.worker == 0 ? run_.others.get() : nullptr;
}

bool idle_loop::others_have_left() const noexcept {
  return run_.termination.working() <= 1;  // only this worker
}

void idle_loop::serve_others() {
  timed account(times_);
  account.start(activity::waiting, barriers_.label_waited_at());
  for (int spins = 0; spins < patience_.spins; ++spins) {
    others_->drive(false);
    if (run_.poisoned() || something_happened()) return;
  }
  run_.caller.make_sure();
  idle();
  run_.restore_affinity(vps_.worker);
}

void idle_loop::for_event() {
  if (others_ != nullptr) return serve_others();
  timed account(times_);
  const unsigned label = barriers_.label_waited_at();
  if (spin(account, label, [&] { return something_happened(); })) return;
  account.start(activity::waiting, label);
  let_others_run();
}

void idle_loop::let_others_run() {
  run_.caller.make_sure();
  const auto over = [&] { return run_.poisoned() || something_happened(); };
  if (!yield_until(over, patience_.yields)) idle();
  run_.restore_affinity(vps_.worker);  // other threads may have used the processor
}

void idle_loop::idle() {
  const auto over = [&] { return run_.poisoned() || anything_happened(); };
  termination_detector& detector = run_.termination;
  if (detector.enter()) wake_all();
  for (;;) {
    if (vps_.worker == 0) run_.look();
    if (others_ != nullptr) others_->drive(true);
    // This worker's poll has changed a flag, so workers that polled before must poll again. If all
    // are idle, they sleep on an older generation and must be woken to confirm this one.
    if (barriers_.reset_passed_on() && detector.stir()) wake_all();
    const std::uint64_t generation = detector.generation();
    if (over()) break;
    if (barriers_.passed_on()) continue;
    if (detector.confirm(vps_.worker, generation)) {
      if (run_.others == nullptr) {
        run_.poison(diagnose(take_wait_states(run_)));
        break;
      }
      run_.others->all_idle(generation);  // other processes may continue
    }
    pause([&](bool to_sleep) {
      return over() || barriers_.passed_on() || (to_sleep && detector.generation() != generation);
    });
  }
  detector.leave();
}

/// Waits until `changed(to_sleep)` holds, or for a while.
template <class Changed> void idle_loop::pause(Changed changed) {
  if (others_ != nullptr) {
    ::sched_yield();  // messages of other processes do not wake a sleeper
    return;
  }
  const auto poll = [&](int polls, auto relax_a_little) {
    for (int i = 0; i < polls && !changed(false); ++i) relax_a_little();
  };
  switch (run_.waiting) {
    case wait_policy::spin:
      return poll(10000, relax);
    case wait_policy::yield:
      return poll(100, ::sched_yield);
    default:
      return run_.sleepers.sleep_unless(
          vps_.worker, [&] { return changed(true); },
          vps_.worker == 0 && run_.watching != nullptr
              ? static_cast<std::uint32_t>(watch::period.count())
              : 0);
  }
}

// Diagnosis of a run in which no virtual processor can continue.

namespace {

/// Finds two VPs of one i-cluster, one at sync(i), the other at a coarser barrier.
std::exception_ptr find_mismatch(const std::vector<std::uint8_t>& states) {
  const std::size_t v = states.size();
  for (unsigned label = label_count(v); label-- > 1;) {
    for (std::size_t first = 0; first < v;) {
      const rank_range cluster = cluster_of(v, first, label);
      const auto begin = states.begin() + static_cast<std::ptrdiff_t>(cluster.first);
      const auto end = states.begin() + static_cast<std::ptrdiff_t>(cluster.last);
      const auto finer = std::find(begin, end, label);
      const auto coarser = std::find_if(begin, end, [&](unsigned s) { return s < label; });
      if (finer != end && coarser != end)
        return std::make_exception_ptr(
            label_mismatch(static_cast<std::size_t>(finer - states.begin()), label,
                           static_cast<std::size_t>(coarser - states.begin()), *coarser));
      first = cluster.last;
    }
  }
  return nullptr;
}

/// Names the operation in which a virtual processor waits, and the other end.
std::string text_of(const channel_wait& wait) {
  const std::string in = "VP " + std::to_string(wait.rank) + " in " + std::string(wait.operation);
  const std::string peer = "VP " + std::to_string(wait.peer);
  switch (wait.what.event) {
    case channel_event::value:
      return in + " from " + peer;
    case channel_event::rendezvous:
      return in + " with all from " + peer + " on";
    case channel_event::room:
    case channel_event::drained:
      break;
  }
  return in + " to " + peer;
}

std::string name_waits(const wait_states& all) {
  std::vector<std::string> names = all.at_channels;
  std::size_t waiting = all.waiting_at_channels;
  for (std::size_t rank = 0; rank < all.states.size(); ++rank) {
    const unsigned at = all.states[rank];
    if (at >= most_labels) continue;
    ++waiting;
    if (names.size() < wait_states::most_named)
      names.push_back("VP " + std::to_string(rank) + " in sync(" + std::to_string(at) + ")");
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (waiting > names.size()) text += " and " + std::to_string(waiting - names.size()) + " more";
  return text;
}

}  // namespace

void wait_states::append(const wait_states& behind) {
  states.insert(states.end(), behind.states.begin(), behind.states.end());
  for (const std::string& one : behind.at_channels) {
    if (at_channels.size() < most_named) at_channels.push_back(one);
  }
  waiting_at_channels += behind.waiting_at_channels;
  if (left_over == nullptr) left_over = behind.left_over;
}

wait_states take_wait_states(const run_state& run) {
  wait_states all;
  for (std::size_t w = 0; w < run.now.active; ++w) {
    const worker& of = *run.workers[w];
    for (std::size_t rank = of.ranks().first; rank < of.ranks().last; ++rank) {
      const unsigned state = of.has_ended(rank) ? nowhere : of.waits_at(rank);
      all.states.push_back(static_cast<std::uint8_t>(state));
    }
    for (const channel_wait& wait : of.waits()) {
      if (++all.waiting_at_channels <= wait_states::most_named)
        all.at_channels.push_back(text_of(wait));
    }
  }
  return all;
}

std::exception_ptr diagnose(const wait_states& all) {
  if (all.left_over != nullptr) return all.left_over;
  if (std::exception_ptr mismatch = find_mismatch(all.states)) return mismatch;
  return std::make_exception_ptr(
      deadlock("deadlock: no virtual processor can go on: " + name_waits(all) +
               "; every push needs its pop, every collective operation all its ranks, and a VP at "
               "a barrier does neither"));
}

}  // namespace pleat::detail
