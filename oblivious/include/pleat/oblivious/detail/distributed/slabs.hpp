// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <vector>

#include <pleat/runtime/interval.hpp>

// Slabs of a grid: rank r has the rows of the r-th of R shares, a row being all cells with one
// index of the first dimension. Pure functions.
namespace pleat::detail::distribution {

/// Where a row is among those a rank works on: its own have their index in the grid as place. Rows
/// before and behind them have the places before and behind, also where the grid is a ring: then a
/// place may be negative, or beyond the grid, and several may stand for one row.
using row_place = std::ptrdiff_t;

/// Rows that a rank needs of another, or on a ring of itself.
struct halo_piece {
  std::size_t owner;  ///< the rank whose rows they are
  interval<> rows;
  row_place place;  ///< of the first of them

  friend bool operator==(const halo_piece&, const halo_piece&) = default;
};

/// A grid's rows, in one slab for each rank.
class PLEAT_API slabs {
 public:
  /// `ring`: the last row is beside the first one. Requires ranks ≥ 1.
  slabs(std::size_t rows, std::size_t ranks, bool ring) noexcept
      : all_{0, rows}, ranks_(ranks), ring_(ring) {}

  [[nodiscard]] std::size_t rows() const noexcept { return all_.last; }
  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] bool ring() const noexcept { return ring_; }
  [[nodiscard]] interval<> of(std::size_t rank) const noexcept { return all_.share(rank, ranks_); }
  /// Requires row < rows().
  [[nodiscard]] std::size_t owner(std::size_t row) const noexcept {
    return (ranks_ * (row + 1) - 1) / rows();
  }

  /// The places of a rank's rows and of `depth` rows on either side, as far as there are; none if
  /// it has no rows.
  [[nodiscard]] interval<row_place> window(std::size_t rank, std::size_t depth) const noexcept;
  /// What of its window a rank does not have: in the order of the owners, and of each of them in
  /// the order of places.
  [[nodiscard]] std::vector<halo_piece> halo(std::size_t rank, std::size_t depth) const;

  /// How many steps ranks make between two exchanges of halos, if a step needs the rows beside a
  /// row. k steps cost k² more rows of updates on each rank. So k is a 16th of the n rows of the
  /// thinnest slab, but 2√n at most; more where rows are so short that these updates take less time
  /// than an exchange.
  [[nodiscard]] std::size_t depth(std::size_t row_cells, std::size_t steps) const noexcept;

 private:
  interval<> all_;
  std::size_t ranks_;
  bool ring_;
};

}  // namespace pleat::detail::distribution
