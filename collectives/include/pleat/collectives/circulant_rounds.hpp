// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include <pleat/collectives/circulant.hpp>

namespace pleat {

/// Transfers of one rank in one round: a send and a receive at once, each of a block or none.
struct circulant_step {
  static constexpr std::size_t none = ~std::size_t{0};

  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::size_t sent = none;      ///< block for `to`
  std::size_t received = none;  ///< block from `from`

  friend bool operator==(const circulant_step&, const circulant_step&) = default;
};

/// The rounds in which n blocks are sent over a circulant graph: n − 1 + q, the minimum; none if
/// there is no block or a single processor.
///
/// A phase has q rounds. The last phase is complete: the first one begins later, after x = (q − (n
/// − 1) mod q) mod q virtual rounds without transfers.
///
/// Performed in this order with `step`, the rounds broadcast: every rank except the root receives
/// each block once, before it first sends it. Performed in reverse order with reversed arcs, they
/// reduce: each rank sends each block once, after it has received the last contribution to it.
///
/// Cost: every function O(1). Thread safety: const functions of a value.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, Algorithm 1.
class PLEAT_API circulant_rounds {
 public:
  circulant_rounds(const circulant_graph& graph, std::size_t blocks) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// The k of a round: the index of its skip and of its entry in the schedules. Requires: round <
  /// size().
  [[nodiscard]] unsigned skip_index(std::size_t round) const noexcept {
    assert(round < size_);
    return static_cast<unsigned>((round + virtual_) % q_);
  }

  /// The block for which an entry of a schedule stands in a round, or circulant_step::none. `entry`
  /// is recv[k] or send[k] with k = skip_index(round). Requires: round < size().
  [[nodiscard]] std::size_t block(std::int8_t entry, std::size_t round) const noexcept {
    assert(round < size_);
    const std::size_t added = (round + virtual_) / q_ * q_;
    const auto number =
        static_cast<std::ptrdiff_t>(added) + entry - static_cast<std::ptrdiff_t>(virtual_);
    if (number < 0) return circulant_step::none;
    const auto wanted = static_cast<std::size_t>(number);
    return wanted < blocks_ ? wanted : blocks_ - 1;
  }

  /// Transfers of `rank` in a round of a broadcast from `root`. `own` is the schedule of rank (rank
  /// − root) mod p. No rank sends to the root. Requires: rank < p, root < p, round < size(); the
  /// graph is the one of the constructor.
  [[nodiscard]] circulant_step step(const circulant_graph& graph, const circulant_schedule& own,
                                    std::uint32_t rank, std::uint32_t root,
                                    std::size_t round) const noexcept;

 private:
  std::size_t blocks_;
  std::size_t size_;
  unsigned q_;
  unsigned virtual_;  // x
};

}  // namespace pleat
