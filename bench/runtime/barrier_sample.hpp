// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"

namespace pleat::bench {

/// Check of a barrier: no thread leaves phase k before all threads have entered it.
class phase_check {
 public:
  explicit phase_check(std::size_t threads) : phases_(threads) {}

  static constexpr std::size_t rounds = 1000;

  /// Thread `me` enters phase k = 1 … rounds, then passes the barrier, then calls `left`.
  void enter(std::size_t me, std::size_t k) {
    phases_[me].value.store(k, std::memory_order_relaxed);
  }
  void left(std::size_t k) {
    for (const auto& other : phases_) {
      const std::size_t seen = other.value.load(std::memory_order_relaxed);
      if (seen < k || seen > k + 1) wrong_.store(true, std::memory_order_relaxed);
    }
  }

  /// Requires: all threads have ended. Throws: pleat::error if one left a phase too early.
  void require_right() const {
    if (wrong_) throw error("verification failed: a barrier was passed before all had come");
  }

 private:
  struct alignas(128) phase {
    std::atomic<std::size_t> value{0};
  };
  std::vector<phase> phases_;
  std::atomic<bool> wrong_{false};
};

/// Checks the barrier of a team: one that runs a body on each of its threads (`run`) and lets them
/// meet (`wait`). Throws: pleat::error.
template <class Team> void verify_barrier(Team& team, unsigned threads) {
  phase_check check(threads);
  team.run([&](unsigned me) {
    for (std::size_t k = 1; k <= phase_check::rounds; ++k) {
      check.enter(me, k);
      team.wait(me);
      check.left(k);
    }
  });
  check.require_right();
}

/// Seconds per barrier by the clock of thread 0, after a warm-up of a tenth as many.
template <class Team> double time_barrier(Team& team, std::size_t repetitions) {
  double seconds = 0;
  team.run([&](unsigned me) {
    for (std::size_t i = 0; i < repetitions / 10 + 1; ++i) team.wait(me);
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < repetitions; ++i) team.wait(me);
    if (me == 0) seconds = seconds_since(start);
  });
  return seconds / static_cast<double>(repetitions);
}

}  // namespace pleat::bench
