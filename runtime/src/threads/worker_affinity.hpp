// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <sched.h>
#include <utility>
#include <vector>

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

}  // namespace pleat::detail
