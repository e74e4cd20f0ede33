// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace pleat::detail {

/// Enumerates all ranks but the root by decreasing distance from it in the tree of clusters.
/// Equally distant ranks follow each other by number. The message with the longest way leaves
/// first, which is optimal on every tree.
///
///     for (farthest_first to(size, root); to; to.next()) send(to.rank());
///
/// Ranks with the same highest bit that differs from the root's form one range. Cost: O(1) a
/// rank, no memory.
class farthest_first {
 public:
  /// Requires: root < size.
  farthest_first(std::uint32_t size, std::uint32_t root) noexcept
      : size_(size), root_(root), level_(std::bit_width(size - 1) + 1) {
    descend();
  }
  /// Tells whether rank() is valid: false behind the last rank.
  [[nodiscard]] explicit operator bool() const noexcept { return rank_ < last_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return static_cast<std::uint32_t>(rank_); }
  void next() noexcept {
    if (++rank_ == last_) descend();
  }

 private:
  /// Goes on to the next level that has ranks, or to the end.
  void descend() noexcept {
    rank_ = last_ = 0;
    while (rank_ == last_ && --level_ > 0) {
      const int below = level_ - 1;
      rank_ = std::min<std::uint64_t>(size_, ((std::uint64_t{root_} >> below) ^ 1) << below);
      last_ = std::min<std::uint64_t>(size_, rank_ + (std::uint64_t{1} << below));
    }
  }

  std::uint32_t size_, root_;
  int level_;               // highest bit, counted from 1, in which rank_ and root_ differ
  std::uint64_t rank_ = 0;  // the current rank
  std::uint64_t last_ = 0;  // end of the current range
};

}  // namespace pleat::detail
