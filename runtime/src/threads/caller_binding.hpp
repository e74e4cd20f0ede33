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

/// Holds the thread that calls machine::run, which is worker 0, for as long as the run lasts.
///
/// A caller that is to be *kept* is moved to its processor if it is elsewhere, and has the affinity
/// mask it had all the time but for that moment. If the processor is not in its mask, because its
/// owner has bound it, that processor is added to the mask until the run ends.
///
/// A caller that is to be *bound* is bound. To bind a thread and to free it again takes some µs of
/// system calls, longer than a short run. A caller that is on its processor already is therefore
/// bound by the first worker that has waited as long as that takes: a run without such a wait is
/// over before the kernel moves anybody, or is one in which nobody waits for the caller.
///
/// Thread safety: begin, restore and end by the caller; make_sure by all workers inside the run.
class alignas(destructive_distance) PLEAT_API caller_binding {
 public:
  /// Worker 0 belongs on this PU.
  caller_binding(workers how, unsigned pu)
      : how_(how),
        bound_(affinity::only(pu)),
        before_(affinity::current()),
        now_(affinity::current()),
        pu_(pu) {}

  /// Begins a run in which the calling thread is worker 0. If that is to be bound, it is now
  /// if it is elsewhere, or if `at_once`. Throws: environment_error.
  void begin(bool at_once);
  /// Binds a caller that is to be pinned, unless it is bound already. Throws: environment_error, in
  /// the first worker that binds.
  void make_sure() {
    // relaxed: whoever binds takes the state by a compare-exchange
    if (state_.load(std::memory_order_relaxed) == state::free) [[unlikely]]
      bind();
  }
  /// Moves the caller back to its PU, if it is to be kept and was moved.
  void restore() noexcept {
    if (how_ == workers::kept && ::sched_getcpu() != static_cast<int>(pu_)) [[unlikely]]
      move_back();
  }
  /// Ends the run: the caller may run where it could before. Returns the PU it has come to, if that
  /// is another one.
  [[nodiscard]] std::optional<unsigned> end() noexcept;

 private:
  enum class state { none, free, bound };

  void bind();
  void move();
  void move_back() noexcept;
  void require_bound();

  const workers how_;
  // Made once, so that no run allocates. Of the caller:
  const affinity bound_;
  affinity before_;
  affinity now_;          // as read back
  bool changed_ = false;  // before_ is to be restored
  const unsigned pu_;
  pid_t caller_ = 0;
  std::atomic<state> state_{state::none};
};

}  // namespace pleat::detail
