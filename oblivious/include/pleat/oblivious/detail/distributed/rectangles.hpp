// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>

namespace pleat::detail {

/// Rows and columns of a matrix.
struct rectangle {
  interval<> rows, columns;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return rows.size() * columns.size(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] constexpr bool covers(const rectangle& other) const noexcept {
    return other.empty() || (rows.covers(other.rows) && columns.covers(other.columns));
  }
  [[nodiscard]] constexpr rectangle transposed() const noexcept { return {columns, rows}; }
  friend constexpr bool operator==(const rectangle&, const rectangle&) = default;
  [[nodiscard]] friend constexpr rectangle intersect(const rectangle& a,
                                                     const rectangle& b) noexcept {
    return {intersect(a.rows, b.rows), intersect(a.columns, b.columns)};
  }
};

}  // namespace pleat::detail

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

// Positions of parts of a matrix, row by row over ranks, in its transpose, row by row over ranks:
// pure functions, by which sender and receiver find the same windows without asking.

/// Distribution of an array over ranks: a share of `count` units of `unit` elements each.
struct unit_shares {
  std::size_t count;
  std::size_t unit;
  interval<> meant;  ///< of the elements: the others are left out, and the first of them is 0

  static unit_shares of_elements(std::size_t n) noexcept { return {n, 1, {0, n}}; }
  static unit_shares of_rows(std::size_t rows, std::size_t columns) noexcept {
    return {rows, columns, {0, rows * columns}};
  }
  [[nodiscard]] unit_shares only(const interval<>& part) const noexcept {
    return {count, unit, part};
  }

  [[nodiscard]] interval<> of(std::size_t rank, std::size_t ranks) const noexcept {
    const interval<> units = interval<>{0, count}.share(rank, ranks);
    return {place_of(units.first), place_of(units.last)};
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t units) const noexcept {
    return std::clamp(units * unit, meant.first, meant.last) - meant.first;
  }
};

/// The elements of an array that a VP has: an equal share of those of its rank.
inline interval<> share_of_vp(const unit_shares& shares, std::size_t vp,
                              const std::vector<rank_range>& places) noexcept {
  std::size_t rank = 0;
  while (!places[rank].contains(vp)) ++rank;
  const rank_range& vps = places[rank];
  return shares.of(rank, places.size()).share(vp - vps.first, vps.size());
}

/// Number of things of that many bytes each that are lent at once: few enough that the allocator
/// keeps the memory of messages, and their pages, for the next ones.
inline std::size_t lent_at_once(std::size_t bytes) noexcept {
  constexpr std::size_t most = std::size_t{1} << 23;
  return std::max<std::size_t>(1, most / bytes);
}
/// f(part), for the parts of an interval that are lent at once.
template <class F>
void for_each_lent(const interval<>& all, std::size_t bytes_of_each, const F& f) {
  const std::size_t most = lent_at_once(bytes_of_each);
  for (std::size_t i = all.first; i < all.last; i += most)
    f(interval<>{i, std::min(i + most, all.last)});
}

/// A part of a matrix.
using matrix_window = rectangle;

/// The elements [first, last) of a matrix, row by row: the end of a row, whole rows, the beginning
/// of a row, as far as there are such.
class windows_of {
 public:
  /// Requires: columns ≥ 1, unless the range is empty.
  windows_of(const interval<>& range, std::size_t columns) noexcept {
    if (range.empty()) return;
    const std::size_t first_row = range.first / columns, head = range.first % columns;
    const std::size_t last_row = range.last / columns, tail = range.last % columns;
    if (head != 0 && first_row == last_row) {
      add({first_row, first_row + 1}, {head, tail});
      return;
    }
    if (head != 0) add({first_row, first_row + 1}, {head, columns});
    add({first_row + (head != 0 ? 1 : 0), last_row}, {0, columns});
    add({last_row, last_row + 1}, {0, tail});
  }

  [[nodiscard]] const matrix_window* begin() const noexcept { return all_.data(); }
  [[nodiscard]] const matrix_window* end() const noexcept { return all_.data() + count_; }

 private:
  void add(const interval<>& rows, const interval<>& columns) noexcept {
    if (!rows.empty() && !columns.empty()) all_[count_++] = {rows, columns};
  }

  std::array<matrix_window, 3> all_;
  std::size_t count_ = 0;
};

/// Calls f(window) for each window of a matrix of `rows` × `columns` that is in its elements `here`
/// and whose transpose is in the elements `there` of the transposed matrix; in a fixed order.
template <class F>
void for_each_common_window(std::size_t rows, std::size_t columns, const interval<>& here,
                            const interval<>& there, const F& f) {
  for (const matrix_window& mine : windows_of(here, columns)) {
    for (const matrix_window& wanted : windows_of(there, rows)) {
      const matrix_window both = intersect(mine, wanted.transposed());
      if (!both.empty()) f(both);
    }
  }
}

}  // namespace pleat::detail::distribution
