// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <sched.h>
#include <sys/types.h>

#include <pleat/channels/cache_line.hpp>

#include "host/binding.hpp"
#include "threads/worker_affinity.hpp"

namespace pleat::detail {

/// Keeps the thread that calls machine::run, which is worker 0, on its processor until the run
/// ends.
///
/// A caller that is *kept* (workers::kept) is moved to its processor if it is elsewhere. Except for
/// that moment it has its own affinity mask. If the processor is not in the mask, because the
/// application has bound the thread, the processor is added until the run ends.
///
/// A caller that is *bound* (workers::bound) gets a mask of one PU. Binding a thread and freeing it
/// again takes some µs of system calls, longer than a short run. Therefore, if the caller is
/// already on its processor, the first worker that has waited for that long binds it. A run without
/// such a wait is over before the kernel moves a thread, or no worker waits for the caller.
///
/// Thread safety: begin, restore and end by the caller; make_sure by all workers inside the run.
class alignas(destructive_distance) caller_binding {
 public:
  /// `pu` is the PU of worker 0.
  caller_binding(workers how, unsigned pu)
      : how_(how),
        bound_(affinity::only(pu)),
        before_(affinity::current()),
        now_(affinity::current()),
        pu_(pu) {}

  /// Begins a run in which the calling thread is worker 0. A caller that is bound is bound now if
  /// it is elsewhere, or if `at_once`. Throws: environment_error.
  void begin(bool at_once);
  /// Binds the caller (workers::bound), unless it is bound already. Throws: environment_error, in
  /// the worker that binds.
  void make_sure() {
    // relaxed: a worker that binds changes the state by a compare-exchange
    if (state_.load(std::memory_order_relaxed) == state::free) [[unlikely]]
      bind();
  }
  /// Moves the caller back to its PU, if it is kept and was moved.
  void restore() noexcept {
    if (how_ == workers::kept && ::sched_getcpu() != static_cast<int>(pu_)) [[unlikely]]
      move_back();
  }
  /// Ends the run: the caller gets its previous affinity. Returns the PU on which it is, if that is
  /// not its own.
  [[nodiscard]] std::optional<unsigned> end() noexcept;

 private:
  enum class state { none, free, bound };

  void bind();
  void move();
  void move_back() noexcept;
  void require_bound();

  const workers how_;
  // Affinities of the caller, made once, so that no run allocates:
  const affinity bound_;
  affinity before_;
  affinity now_;          // as read back
  bool changed_ = false;  // before_ must be restored
  const unsigned pu_;
  pid_t caller_ = 0;
  std::atomic<state> state_{state::none};
};

}  // namespace pleat::detail
