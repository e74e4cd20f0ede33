// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <pleat/runtime/interval.hpp>

namespace pleat::detail::stencils {

/// An index, a distance of indices, a number of steps.
using offset = std::ptrdiff_t;

/// Indices of one dimension, or steps.
using range = interval<offset>;

template <std::size_t D> using point = std::array<offset, D>;

/// Product of intervals.
template <std::size_t D> struct box {
  std::array<range, D> sides{};
  [[nodiscard]] constexpr bool empty() const noexcept {
    for (const range& side : sides)
      if (side.empty()) return true;
    return false;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    std::size_t cells = 1;
    for (const range& side : sides) cells *= static_cast<std::size_t>(side.size());
    return cells;
  }
  [[nodiscard]] constexpr bool contains(const point<D>& x) const noexcept {
    for (std::size_t i = 0; i < D; ++i)
      if (!sides[i].contains(x[i])) return false;
    return true;
  }
  friend constexpr bool operator==(const box&, const box&) = default;
  /// Intersection of two boxes.
  [[nodiscard]] friend constexpr box intersect(const box& a, const box& b) noexcept {
    box both;
    for (std::size_t i = 0; i < D; ++i) both.sides[i] = intersect(a.sides[i], b.sides[i]);
    return both;
  }
  /// Box of the same cells with indices greater by `by`.
  [[nodiscard]] friend constexpr box moved(const box& of, const point<D>& by) noexcept {
    box result = of;
    for (std::size_t i = 0; i < D; ++i) {
      result.sides[i].first += by[i];
      result.sides[i].last += by[i];
    }
    return result;
  }
};

}  // namespace pleat::detail::stencils
