// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace pleat::bench {

/// Circulant schedules computed as the paper writes them. The receive schedule is a recursive
/// search over a doubly linked list of skips. The send schedule computes another rank's receive
/// schedule at each violation. It is a rival of circulant_graph, and the oracle of its tests.
///
/// Source: Träff, Round-optimal n-Block Broadcast Schedules in Logarithmic Time, 2024, Algorithms
/// 2–6.
class circulant_transcription {
 public:
  using entries = std::array<std::int8_t, 32>;

  /// Requires: 2 ≤ p ≤ 2^31.
  explicit circulant_transcription(std::uint32_t p);

  [[nodiscard]] int rounds() const { return q_; }
  [[nodiscard]] std::int64_t skip(int k) const { return skip_[static_cast<std::size_t>(k)]; }

  [[nodiscard]] int baseblock(std::uint32_t rank) const;
  /// Computes the receive schedule and returns the baseblock.
  int receive(std::uint32_t rank, entries& recv) const;

  /// Computes the send schedule and returns the number of violations.
  int send(std::uint32_t rank, entries& send) const;

 private:
  std::int64_t p_;
  int q_ = 0;
  std::array<std::int64_t, 34> skip_{};
};

}  // namespace pleat::bench
