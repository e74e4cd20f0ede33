// SPDX-License-Identifier: Apache-2.0
#include "engine/idle_loop.hpp"

#include <sched.h>

#include "engine/other_processes.hpp"
#include "engine/wait_states.hpp"
#include "threads/yielding.hpp"

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

}  // namespace pleat::detail
