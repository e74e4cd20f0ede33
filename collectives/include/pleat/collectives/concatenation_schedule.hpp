// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <vector>

namespace pleat {

/// One message of a concatenation: every rank receives it from the rank `offset` after itself, all
/// at once; so every rank also sends one to the rank `offset` before itself.
///
/// It fills a part of the receiver's table, whose entry e is unit e mod b of the block of the rank
/// e / b after it: entries first … first + size − 1. In the sender's own table these are `offset`
/// blocks earlier: entries first − offset · b and on.
struct concatenation_transfer {
  std::size_t offset = 1;
  std::size_t first = 0;
  std::size_t size = 0;

  friend bool operator==(const concatenation_transfer&, const concatenation_transfer&) = default;
};

/// Returns the table partition of the last round: the entries of blocks `held` … `processors` − 1
/// in at most `ports` parts of ⌈units · (processors − held) / ports⌉ entries, of which the last may
/// be smaller. Each part comes from the rank whose own block is the first in the part. The result
/// is empty if a part spans more than `held` blocks, which is what that rank holds.
///
/// Requires: 1 ≤ held < processors, units ≥ 1, ports ≥ 1. Cost: O(ports). Throws: std::bad_alloc.
[[nodiscard]] PLEAT_API std::vector<concatenation_transfer> equal_parts(std::size_t held,
                                                                        std::size_t processors,
                                                                        std::size_t units,
                                                                        std::size_t ports);

/// Measure to minimise if both cannot be minimal.
enum class concatenation_goal { rounds, volume };

/// Schedule by which n processors with k ports each receive a block of b units from every rank
/// (all-gather).
///
/// In round i < d − 1, d = ⌈log_{k+1} n⌉, ranks that hold (k + 1)^i consecutive blocks get as many
/// from each of k others. The last round fetches the rest in k parts of equal size, which may end
/// inside blocks. Both C1 = ⌈log_{k+1} n⌉ rounds and C2 = ⌈b (n − 1)/k⌉ units, the sum over all
/// rounds of the largest message, are then the least possible.
///
/// If k ≥ 3, b ≥ 3 and (k + 1)^d − k < n < (k + 1)^d equal parts may span more blocks than a sender
/// holds. Then `goal` decides: `rounds` keeps C1 and moves up to b − 1 units more than the least,
/// `volume` keeps C2 with one round more (for d = 1, n ≤ k, this brings nothing, and the schedule
/// is that of `rounds`).
///
/// Source: Jehoshua Bruck, Ching-Tien Ho, Shlomo Kipnis, Eli Upfal, Derrick Weathersby, Efficient
/// Algorithms for All-to-All Communications in Multiport Message-Passing Systems, 1997,
/// doi:10.1109/71.642949, section 4.
class PLEAT_API concatenation_schedule {
 public:
  using round = std::vector<concatenation_transfer>;  ///< at most k messages

  /// Requires: processors, units, ports ≥ 1; b · n less than 2^64. Cost: O(k log_{k+1} n).
  /// Throws: pleat::usage_error for other values; std::bad_alloc.
  concatenation_schedule(std::size_t processors, std::size_t units, std::size_t ports,
                         concatenation_goal goal = concatenation_goal::rounds);

  /// The rounds; their number is C1.
  [[nodiscard]] const std::vector<round>& rounds() const noexcept { return rounds_; }
  /// Returns C2, in units.
  [[nodiscard]] std::size_t volume() const noexcept;

 private:
  std::vector<round> rounds_;
};

}  // namespace pleat
