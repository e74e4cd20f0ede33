// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace pleat::bench {

/// The circulant schedules as the paper writes them: a recursive search over a doubly linked list
/// of skips, and a send schedule that asks for a whole receive schedule at each violation. Rival of
/// circulant_graph, and the oracle of its tests.
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
  /// Returns: the baseblock.
  int receive(std::uint32_t rank, entries& recv) const;

  /// Returns: the number of violations, receive schedules of other ranks that were computed.
  int send(std::uint32_t rank, entries& send) const;

 private:
  std::int64_t p_;
  int q_ = 0;
  std::array<std::int64_t, 34> skip_{};
};

}  // namespace pleat::bench
