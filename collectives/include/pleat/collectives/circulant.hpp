// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

namespace pleat {

/// Schedule of one rank: the blocks that it sends and receives in the q = ⌈log2 p⌉ rounds of a
/// phase. q entries of each array are used; the others are 0.
///
/// An entry is a block number of the first phase, from −q to q − 1; every phase adds q, and a
/// negative number stands for no transfer. In round k a rank sends block send[k] to the rank
/// skip[k] after it while it receives block recv[k] from the rank skip[k] before it. Blocks and
/// rounds of a whole broadcast: circulant_rounds.
struct circulant_schedule {
  std::int8_t baseblock = 0;  ///< the block the rank receives first; q for the root, rank 0
  std::array<std::int8_t, 32> recv{};
  std::array<std::int8_t, 32> send{};

  friend bool operator==(const circulant_schedule&, const circulant_schedule&) = default;
};

/// The circulant graph of p processors: in round k rank r sends to r + skip[k] mod p, where skip[q]
/// = p, skip[k] = ⌈skip[k + 1] / 2⌉ and q = ⌈log2 p⌉; with the schedules by which n blocks are
/// broadcast from rank 0 in n − 1 + q rounds, the minimum, for any p.
///
/// The schedules fulfil, for ranks r and rounds k:
/// 1. recv of r in k is send of the rank skip[k] before r in k: both know the block;
/// 2. send of r in k is recv of the rank skip[k] after r in k;
/// 3. a rank receives −1 … −q without baseblock − q, and its baseblock: every block once a phase;
/// 4. it sends baseblock − q or a block that it received in an earlier round of the phase; the root
///    sends block k in round k.
///
/// An immutable value of 136 bytes. No function allocates. Thread safety: all functions are const
/// and share no state.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, sections 2–3.
class PLEAT_API circulant_graph {
 public:
  static constexpr std::uint32_t max_processors = std::uint32_t{1} << 31;

  /// Requires: 1 ≤ processors ≤ max_processors. Cost: O(log p).
  /// Throws: pleat::usage_error otherwise.
  explicit circulant_graph(std::uint64_t processors);

  [[nodiscard]] std::uint32_t processors() const noexcept { return processors_; }

  /// q, the rounds of a phase: ⌈log2 p⌉, 0 for one processor.
  [[nodiscard]] unsigned rounds() const noexcept { return rounds_; }

  /// skip[0] … skip[q], ascending from 1 (for p > 1) to p.
  [[nodiscard]] std::span<const std::uint32_t> skips() const noexcept {
    return {skip_.data(), rounds_ + std::size_t{1}};
  }

  /// Rank to which `rank` sends in round k, and rank from which it receives. Require: rank < p, k <
  /// q.
  [[nodiscard]] std::uint32_t to(std::uint32_t rank, unsigned k) const noexcept {
    assert(rank < processors_ && k < rounds_);
    const std::uint32_t room = processors_ - rank;
    return skip_[k] < room ? rank + skip_[k] : skip_[k] - room;
  }
  [[nodiscard]] std::uint32_t from(std::uint32_t rank, unsigned k) const noexcept {
    assert(rank < processors_ && k < rounds_);
    return rank >= skip_[k] ? rank - skip_[k] : processors_ - (skip_[k] - rank);
  }

  /// The index of the last skip on the path from rank 0 to `rank` that always takes the largest
  /// skip that fits, in descending order; q for rank 0. Requires: rank < p. Cost: O(log p).
  [[nodiscard]] unsigned baseblock(std::uint32_t rank) const noexcept;

  /// Requires: rank < p. Cost: O(log p); `receive_schedule` leaves `send` 0 and takes about half.
  [[nodiscard]] circulant_schedule schedule(std::uint32_t rank) const noexcept;
  [[nodiscard]] circulant_schedule receive_schedule(std::uint32_t rank) const noexcept;

 private:
  // One entry of a receive schedule.
  [[nodiscard]] std::int8_t received(std::uint32_t rank, unsigned round) const noexcept;

  std::uint32_t processors_;
  unsigned rounds_;
  std::array<std::uint32_t, 32> skip_;
};

}  // namespace pleat
