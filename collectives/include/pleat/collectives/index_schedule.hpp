// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <pleat/collectives/message_cost.hpp>

namespace pleat {

/// One message of an index operation: every rank sends it to the rank `offset` after itself, all at
/// once. It carries the blocks whose digit of weight `place` is `digit`.
struct index_step {
  std::size_t round = 0;   ///< steps of the same round go out through different ports
  std::size_t place = 1;   ///< a power of the radix
  std::size_t digit = 1;   ///< 1 … radix − 1
  std::size_t offset = 1;  ///< digit · place, less than n

  friend bool operator==(const index_step&, const index_step&) = default;
};

/// Schedule by which n processors with k ports each exchange n · n blocks, one from every rank for
/// every rank (all-to-all), by the digits of block numbers in some radix r, 2 ≤ r ≤ n.
///
/// A rank numbers its blocks by distance: block j is the one for the rank j after it. It performs
/// the steps in order, and blocks received in a step replace the blocks sent. At the end block j is
/// the one from the rank j before it.
///
/// The schedule takes C1 ≤ ⌈(r − 1)/k⌉ · w rounds, w = ⌈log_r n⌉. C2, the sum over all rounds of
/// the largest message, is ⌈(r − 1)/k⌉ · (n/r) · w blocks if n is a power of r, and in general at
/// most ⌈n / (r · place)⌉ · place for a round. Both can have their least value: C1 = ⌈log_{k+1} n⌉
/// for r = k + 1, C2 = ⌈(n − 1)/k⌉ for r = n.
///
/// Source: Jehoshua Bruck, Ching-Tien Ho, Shlomo Kipnis, Eli Upfal, Derrick Weathersby, Efficient
/// Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997,
/// doi:10.1109/71.642949, section 3.
class PLEAT_API index_schedule {
 public:
  /// Requires: processors ≥ 1, 2 ≤ radix ≤ max(2, processors), ports ≥ 1.
  /// Cost: O(r log_r n). Throws: pleat::usage_error for other values; std::bad_alloc.
  index_schedule(std::size_t processors, std::size_t radix, std::size_t ports);

  [[nodiscard]] std::size_t processors() const noexcept { return processors_; }
  [[nodiscard]] std::size_t radix() const noexcept { return radix_; }
  [[nodiscard]] const std::vector<index_step>& steps() const noexcept { return steps_; }

  /// Tells whether a step moves block j, j < n.
  [[nodiscard]] bool moves(const index_step& step, std::size_t j) const noexcept {
    return j / step.place % radix_ == step.digit;
  }
  /// Calls use(j, arrives) for the blocks that a step moves: first those that the receiver sends
  /// on; then those that arrive there, because no digit of a higher place is left. Cost: O(blocks).
  template <class Use> void each_moved(const index_step& step, const Use& use) const {
    const std::size_t cycle = step.place * radix_;
    for (std::size_t first = step.offset + cycle; first < processors_; first += cycle) {
      for (std::size_t j = first; j < std::min(first + step.place, processors_); ++j) use(j, false);
    }
    for (std::size_t j = step.offset; j < std::min(step.offset + step.place, processors_); ++j)
      use(j, true);
  }
  /// Number of blocks that a step moves. Cost: O(1).
  [[nodiscard]] std::size_t blocks(const index_step& step) const noexcept;

  /// C1, the number of rounds.
  [[nodiscard]] std::size_t rounds() const noexcept;
  /// C2 in blocks. Cost: O(steps).
  [[nodiscard]] std::size_t volume() const noexcept;

 private:
  std::size_t processors_;
  std::size_t radix_;
  std::vector<index_step> steps_;
};

/// Returns the radix whose index operation takes the least time, C1 · β + C2 · bytes · τ, for
/// blocks of `bytes` bytes; the smallest of equally good ones, and 2 if there is no choice.
///
/// All radices are considered. Radices with (r − 1) mod k = 0 leave no port idle if n is a power of
/// r; for other n, other radices can be cheaper, because not every digit occurs at the highest
/// place.
///
/// Requires: processors ≥ 1, ports ≥ 1, costs ≥ 0. Cost: O(n · log n).
/// Throws: pleat::usage_error for other values. Source: as index_schedule, section 3.3.
[[nodiscard]] PLEAT_API std::size_t best_index_radix(std::size_t processors, std::size_t ports,
                                                     std::size_t bytes, const message_cost& cost);

}  // namespace pleat
