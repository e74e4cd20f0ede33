// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/detail/vp_host.hpp>

#include "costs/time_account.hpp"
#include "engine/barriers.hpp"
#include "engine/run_state.hpp"
#include "mail/channel_wait.hpp"

namespace pleat::detail {

/// Waits while no virtual processor of the worker can run: spins, yields the processor, and sleeps
/// until an event happens. If no event can ever happen, it finds this out and poisons the run.
class idle_loop {
 public:
  idle_loop(run_state& run, const local_vps& vps, shared_barriers& barriers,
            channel_waits& channels, time_account& times) noexcept
      : run_(run), vps_(vps), barriers_(barriers), channels_(channels), times_(times) {}

  void start() noexcept;

  /// Returns when a barrier has been passed, a channel is ready, the worker may leave or the run
  /// has been poisoned.
  void for_event();
  /// Tells whether all VPs have ended, and no other worker depends on this one.
  [[nodiscard]] bool may_leave() noexcept {
    return vps_.live == 0 && barriers_.all_left() && (others_ == nullptr || others_have_left());
  }

  /// Spins until `ready()` holds, the run is poisoned or the spins of the wait policy are used up.
  /// Returns whether it was ready.
  template <class Ready> [[nodiscard]] bool spin(timed& account, unsigned label, Ready ready) {
    if (times_.keeps_timeline()) account.start(activity::waiting, label);
    for (int spins = 0; spins < patience_.spins; ++spins) {
      if (ready()) return true;
      if (spins < tight_spins) continue;
      account.start(activity::waiting, label);
      if (run_.poisoned()) return false;
      if (spins == worth_binding) run_.caller.make_sure();
      relax();
    }
    return false;
  }

 private:
  // A barrier between two processors takes 50 ns, a poll about 1 ns and a relaxed poll 20 ns. The
  // first spins suffice in the common case, so they do not relax. The later ones relax, to leave
  // the core's resources to its other hardware thread.
  static constexpr int tight_spins = 100;
  // Number of spins that take as long as binding the thread that called run, some µs.
  static constexpr int worth_binding = 250;

  struct patience {
    int spins;
    std::chrono::microseconds yields;
  };
  [[nodiscard]] static patience patience_of(wait_policy policy) noexcept;

  [[nodiscard]] bool something_happened() noexcept {
    return barriers_.passed() != nullptr || channels_.any_ready() || may_leave();
  }
  /// Tells whether an event has happened. Polls all channels: an event that this poll misses would
  /// never be found.
  [[nodiscard]] bool anything_happened() noexcept {
    return something_happened() || channels_.any_ready(channels_.size());
  }
  /// Tells whether all other workers of this process have left. Worker 0, which serves other
  /// processes, leaves last.
  [[nodiscard]] bool others_have_left() const noexcept;
  void serve_others();
  /// Yields, then sleeps, until an event has happened. Not inlined, to keep the code of short waits
  /// small.
  [[gnu::noinline]] void let_others_run();
  void idle();
  void wake_all() noexcept { run_.sleepers.wake(0, run_.now.active, vps_.worker); }
  template <class Changed> void pause(Changed changed);

  run_state& run_;
  const local_vps& vps_;
  shared_barriers& barriers_;
  channel_waits& channels_;
  time_account& times_;
  other_processes* others_ = nullptr;  // set for worker 0, which serves them
  patience patience_{};
};

}  // namespace pleat::detail
