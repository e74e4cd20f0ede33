// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/program/rectangle.hpp>
#include <pleat/runtime/interval.hpp>

// Rectangles of a matrix, one for each rank. Pure functions.
namespace pleat::detail::distribution {

/// A matrix on a grid of P × Q = R ranks: rank p·Q + q has the rows of the p-th of P shares and the
/// columns of the q-th of Q. Of all such grids the one whose rectangles have the shortest sides,
/// rows/P + columns/Q; of two alike the one with more rows of ranks, whose rectangles are closer to
/// contiguous.
class PLEAT_API rank_rectangles {
 public:
  rank_rectangles() = default;
  /// Requires ranks ≥ 1.
  rank_rectangles(std::size_t rows, std::size_t columns, std::size_t ranks) noexcept;

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t ranks() const noexcept { return across_ * down_; }
  /// P and Q.
  [[nodiscard]] std::size_t down() const noexcept { return down_; }
  [[nodiscard]] std::size_t across() const noexcept { return across_; }
  /// Rectangle of a rank. Requires rank < ranks().
  [[nodiscard]] rectangle of(std::size_t rank) const noexcept {
    return {interval<>{0, rows_}.share(rank / across_, down_),
            interval<>{0, columns_}.share(rank % across_, across_)};
  }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t down_ = 1;
  std::size_t across_ = 1;
};

/// The indices below n, cut where the shares of either partition begin; none is empty.
[[nodiscard]] PLEAT_API std::vector<interval<>> common_cuts(std::size_t n, std::size_t shares,
                                                            std::size_t other_shares);
/// Number of steps in which products go through such parts, a share of each part in each step.
/// Shares have 1024 indices and more unless the parts have less. The kernels need some 256 for
/// their full speed; thicker ones only cost memory.
[[nodiscard]] PLEAT_API std::size_t panel_steps(const std::vector<interval<>>& parts) noexcept;

}  // namespace pleat::detail::distribution
