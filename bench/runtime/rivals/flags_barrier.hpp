// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/pinned_threads.hpp"

namespace pleat::bench {

/// A barrier written by hand for dedicated processors: in round k thread i tells thread i + 2^k
/// (modulo the team) that it has come, and waits to be told. With two threads it is one exchange of
/// flags, as little as the hardware allows. It only ever spins.
///
/// Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, 1988.
class flags_team {
 public:
  explicit flags_team(std::span<const unsigned> pus)
      : pus_(pus.begin(), pus.end()),
        rounds_(static_cast<unsigned>(std::bit_width(pus.size() - 1))),
        flags_(pus.size() * rounds_),
        epochs_(pus.size()) {}

  template <class Body> void run(const Body& body) {
    run_pinned(pus_, [&](std::size_t thread) { body(static_cast<unsigned>(thread)); });
  }

  void wait(unsigned thread) {
    const std::uint64_t epoch = ++epochs_[thread].value;
    const auto threads = static_cast<unsigned>(pus_.size());
    for (unsigned round = 0; round < rounds_; ++round) {
      const unsigned partner = (thread + (1U << round)) % threads;
      // Pairs with the acquire load below: what came before the barrier is seen after it.
      flags_[round * threads + partner].value.store(epoch, std::memory_order_release);
      while (flags_[round * threads + thread].value.load(std::memory_order_acquire) < epoch) {
      }
    }
  }

 private:
  struct alignas(128) flag {
    std::atomic<std::uint64_t> value{0};
  };
  struct alignas(128) counter {
    std::uint64_t value = 0;
  };

  std::vector<unsigned> pus_;
  unsigned rounds_;
  std::vector<flag> flags_;
  std::vector<counter> epochs_;
};

}  // namespace pleat::bench
