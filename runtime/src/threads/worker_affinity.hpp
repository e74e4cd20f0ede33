// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <sched.h>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>
#include <pleat/runtime/workers.hpp>

#include "host/binding.hpp"

namespace pleat::detail {

/// PU of each worker of a machine, and whether workers are bound to it, kept there, or free.
///
/// Threads and processes that a thread starts inherit its affinity mask. So a worker that is kept
/// has the mask of the process, except while it is being moved, and threads and processes that the
/// application starts on it may run anywhere. The kernel moves a running thread only if another one
/// needs its PU; a worker that has slept or yielded checks where it is.
///
/// Thread safety: apply and restore by the thread of the worker.
class PLEAT_API worker_affinity {
 public:
  /// `pus`: PU of each worker; worker 0 is the thread that calls run. `rest`: further PUs on which
  /// kept workers may run.
  worker_affinity(workers how, std::vector<unsigned> pus, affinity rest)
      : how_(how), pus_(std::move(pus)), rest_(std::move(rest)) {}

  [[nodiscard]] workers how() const noexcept { return how_; }
  [[nodiscard]] std::size_t size() const noexcept { return pus_.size(); }
  [[nodiscard]] unsigned pu(std::size_t worker) const noexcept { return pus_[worker]; }

  /// Binds or moves the calling thread, which is that worker from now on. Throws environment_error
  /// if the kernel does not allow it to run there.
  void apply(std::size_t worker) const;

  /// Moves the calling thread, which is that worker, back if it is kept and is elsewhere.
  /// Cost: some ns if it was not moved.
  void restore(std::size_t worker) const noexcept {
    if (how_ == workers::kept && ::sched_getcpu() != static_cast<int>(pus_[worker])) [[unlikely]]
      move_back(worker);
  }

 private:
  void move_back(std::size_t worker) const noexcept;

  workers how_;
  std::vector<unsigned> pus_;
  affinity rest_;
};

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

/// Lists the processors of a machine that have a worker, in rank order. Processors that share a PU
/// have one worker, at the first of them: it switches between their virtual processors in some 10
/// ns, while the kernel takes microseconds to switch between threads. `each`: every processor has a
/// worker nevertheless.
/// Cost: O(p log p).
[[nodiscard]] std::vector<std::size_t> worker_processors(const placement& placed, bool each);

/// Tells whether that many workers on worker_processors() cannot all run at once: two share a PU,
/// or the quota is smaller than their number. Waiting workers then sleep at once.
[[nodiscard]] bool oversubscribed(const topology& machine, const placement& placed,
                                  std::size_t workers);

}  // namespace pleat::detail
