// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

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
