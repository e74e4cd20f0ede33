// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace pleat {

/// The integers from `first` up to, but not including, `last`: ranks, rows, cells, bytes. The
/// interval is empty if `last` is not greater than `first`.
template <std::integral T = std::size_t> struct interval {
  T first = 0;
  T last = 0;  ///< one past the end

  [[nodiscard]] constexpr bool empty() const noexcept { return last <= first; }
  [[nodiscard]] constexpr T size() const noexcept { return empty() ? T{0} : last - first; }
  [[nodiscard]] constexpr bool contains(T x) const noexcept { return first <= x && x < last; }
  [[nodiscard]] constexpr bool covers(const interval& other) const noexcept {
    return first <= other.first && other.last <= last;
  }
  /// The i-th of `count` parts that follow one another and whose sizes differ by one at most.
  /// Requires: 0 ≤ i < count; size()·count is a T.
  [[nodiscard]] constexpr interval share(T i, T count) const noexcept {
    return {first + size() * i / count, first + size() * (i + 1) / count};
  }

  friend constexpr bool operator==(const interval&, const interval&) = default;
  /// Intersection of two intervals. If it is empty, its first number is not less than a.first.
  [[nodiscard]] friend constexpr interval intersect(const interval& a, const interval& b) noexcept {
    const T from = std::max(a.first, b.first);
    return {from, std::max(from, std::min(a.last, b.last))};
  }
};

}  // namespace pleat
