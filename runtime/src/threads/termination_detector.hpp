// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Detects that no worker can ever continue: each has nothing to run, and none of the conditions
/// for which it waits holds, checked after all others had stopped too.
///
/// Every change of the set of idle workers begins a new generation, and so does a worker that
/// retires. An idle worker that has found none of its conditions true confirms the generation in
/// which its check began. When all workers that have not retired confirm the same generation, none
/// was active since the first of these checks, so no condition can have become true unseen.
///
/// In every run workers retire, but in few runs workers are idle. So a worker retires by setting a
/// flag of its own, without a mutex; the calls of idle workers take a mutex and count the flags. If
/// one worker retires while another becomes idle, at least one sees the other, because the flags
/// and the number of idle workers are written and read in one order (seq_cst).
///
/// Thread safety: all calls except `start`.
class termination_detector {
 public:
  /// Begins a run of `workers`. Requires that no worker of the last run is running. Returns the
  /// number of the run, for retire.
  std::uint64_t start(std::size_t workers);

  /// Makes the calling worker idle. Returns true if it is the last one: the others, which may sleep
  /// on an older generation, must be woken to look again.
  [[nodiscard]] bool enter();
  /// Makes the calling worker active: it found something to do.
  void leave();
  /// Records that the calling worker, which is idle, has changed something for which others may
  /// wait. Returns true if all are idle: they must then be woken, as after `enter`.
  [[nodiscard]] bool stir();
  /// Retires worker `self`, which has finished and waits for nothing. Returns the same as `enter`.
  /// Cost: an exchange in a line of its own, if no worker is idle.
  [[nodiscard]] bool retire(std::size_t self, std::uint64_t run);
  /// Number of workers that have not retired.
  [[nodiscard]] std::size_t working() const noexcept { return workers_ - retired(); }
  /// Tells whether all workers have retired.
  [[nodiscard]] bool over() const;

  [[nodiscard]] std::uint64_t generation() const;
  /// Confirms `generation`, which worker `self` read before it found, while idle, that none of its
  /// conditions holds. Returns true if this was the last confirmation: no worker can ever continue.
  [[nodiscard]] bool confirm(std::size_t self, std::uint64_t generation);

 private:
  /// Flag of one worker: the last run from which it has retired.
  struct alignas(destructive_distance) flag {
    std::atomic<std::uint64_t> retired_from{0};
  };
  struct alignas(destructive_distance) counter {
    std::atomic<std::size_t> value{0};
  };

  [[nodiscard]] std::size_t retired() const noexcept;
  [[nodiscard]] bool all_idle(std::size_t retired) const noexcept;

  counter idle_;  // in a line that retiring workers only read
  std::vector<flag> flags_;
  alignas(destructive_distance) mutable std::mutex mutex_;
  std::size_t workers_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t changes_ = 0;  // generation, less the number of retired workers
  std::size_t confirmed_ = 0;  // number of workers that have confirmed the generation confirmed_in_
  std::uint64_t confirmed_in_ = 0;
  std::vector<std::uint64_t> confirmation_;
};

}  // namespace pleat::detail
