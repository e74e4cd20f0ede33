// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Finds out that no worker will ever go on: each has nothing to run, and none of the conditions it
/// waits for holds, looked at when all the others had stopped too.
///
/// Every change of who is idle begins a new generation, and so does a worker that retires. A worker
/// that is idle and has looked at its conditions in vain confirms the generation in which it began
/// to look; when all workers that have not retired confirm one and the same generation, none was
/// active since the first of these looks, so nothing can have become true unseen.
///
/// Every run ends with workers that retire, few have idle ones: a worker retires by a flag of its
/// own, and the idle, whose calls take a mutex, count the flags. Of a worker that retires and one
/// that goes idle at the same time one sees the other, as the flags and the number of the idle are
/// written and read in one order (seq_cst).
///
/// Thread safety: all calls but `start`.
class PLEAT_API termination_detector {
 public:
  /// Begins a run of `workers`; none of the last one is left. Returns its number, for retire.
  std::uint64_t start(std::size_t workers);

  /// Makes the calling worker idle. Returns true if it is the last one: the others, which may sleep
  /// on an older generation, must be woken to look again.
  [[nodiscard]] bool enter();
  /// Makes the calling worker active: it found something to do.
  void leave();
  /// Notes that the calling worker, idle, changed something others may be waiting for. Returns true
  /// if all are idle: they must be woken, as after `enter`.
  [[nodiscard]] bool stir();
  /// Retires worker `self`, which has finished and waits for nothing any more. Returns as `enter`.
  /// Cost: an exchange in a line of its own, if nobody is idle.
  [[nodiscard]] bool retire(std::size_t self, std::uint64_t run);
  /// Number of workers that have not retired.
  [[nodiscard]] std::size_t working() const noexcept { return workers_ - retired(); }
  /// Tells whether all workers have retired.
  [[nodiscard]] bool over() const;

  [[nodiscard]] std::uint64_t generation() const;
  /// Confirms `generation`, which worker `self` has read before it looked, idle, at its conditions
  /// in vain. Returns true if that was the last confirmation needed: no worker will ever go on.
  [[nodiscard]] bool confirm(std::size_t self, std::uint64_t generation);

 private:
  /// Flag of one worker: the last run it has retired from.
  struct alignas(destructive_distance) flag {
    std::atomic<std::uint64_t> retired_from{0};
  };
  struct alignas(destructive_distance) counter {
    std::atomic<std::size_t> value{0};
  };

  [[nodiscard]] std::size_t retired() const noexcept;
  [[nodiscard]] bool all_idle(std::size_t retired) const noexcept;

  counter idle_;  // in a line that workers which retire only read
  std::vector<flag> flags_;
  alignas(destructive_distance) mutable std::mutex mutex_;
  std::size_t workers_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t changes_ = 0;  // with the number of the retired it is the generation
  std::size_t confirmed_ = 0;  // workers that have confirmed the generation confirmed_in_
  std::uint64_t confirmed_in_ = 0;
  std::vector<std::uint64_t> confirmation_;
};

}  // namespace pleat::detail
