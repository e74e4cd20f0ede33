// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace pleat::detail {

/// Finds out that no worker will ever go on: each has nothing to run, and none of the conditions it
/// waits for holds, looked at when all the others had stopped too.
///
/// Every change of who is idle begins a new generation. A worker that is idle and has looked at its
/// conditions in vain confirms the generation in which it began to look; when all workers that have
/// not left confirm one and the same generation, none was active since the first of these looks, so
/// nothing can have become true unseen.
///
/// Cost: a mutex, only for workers that have long waited in vain. Thread safety: all calls.
class termination_detector {
 public:
  /// A run of `workers` begins.
  void start(std::size_t workers);

  /// The calling worker goes idle. Returns true if it is the last one: the others, who may sleep on
  /// an older generation, must be woken to look again.
  [[nodiscard]] bool enter();
  /// The calling worker found something to do.
  void leave();
  /// The calling worker, idle, changed something others may be waiting for. Returns true if all are
  /// idle: they must be woken, as after `enter`.
  [[nodiscard]] bool stir();
  /// A worker has finished and waits for nothing any more. Returns as `enter`.
  [[nodiscard]] bool retire();
  /// All workers have finished.
  [[nodiscard]] bool over() const;

  [[nodiscard]] std::uint64_t generation() const;
  /// Worker `self`, idle, has looked at its conditions after reading `generation`, in vain.
  /// Returns true if that was the last confirmation needed: nobody will ever go on.
  [[nodiscard]] bool confirm(std::size_t self, std::uint64_t generation);

 private:
  [[nodiscard]] bool all_idle() const { return idle_ == working_ && working_ != 0; }

  mutable std::mutex mutex_;
  std::size_t working_ = 0;  // workers that have not finished
  std::size_t idle_ = 0;
  std::uint64_t generation_ = 0;
  std::size_t confirmed_ = 0;  // workers that have confirmed generation_
  std::vector<std::uint64_t> confirmation_;
};

}  // namespace pleat::detail
