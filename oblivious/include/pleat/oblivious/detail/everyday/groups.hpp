// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/runtime/interval.hpp>

// Groups: consecutive elements that one VP combines. Where they begin depends on the number of
// elements alone, so that the association of floating-point sums is the same for any number of VPs.
namespace pleat::detail::everyday {

/// n elements in groups of a power of two: from 128 groups on so that many processors have equal
/// shares of them, of at most 2048 elements so that a group is in the first cache.
class grouping {
 public:
  /// `cheap`: an element takes so little time that groups of less than 256 are not worth dividing.
  explicit grouping(std::size_t n, bool cheap) noexcept
      : n_(n), width_(std::clamp<std::size_t>(std::bit_floor(n / 128), cheap ? 256 : 1, 2048)) {}
  /// Groups of one element.
  [[nodiscard]] static grouping of_single(std::size_t n) noexcept {
    grouping groups(n, false);
    groups.width_ = 1;
    return groups;
  }

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] std::size_t count() const noexcept { return (n_ + width_ - 1) / width_; }
  [[nodiscard]] interval<> group(std::size_t g) const noexcept {
    return {g * width_, std::min(n_, (g + 1) * width_)};
  }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

 private:
  std::size_t n_;
  std::size_t width_;
};

/// An associative operator on T.
template <class Op, class T>
concept combines = std::movable<T> && std::invocable<Op&, T, T> &&
    std::constructible_from<T, std::invoke_result_t<Op&, T, T>>;

/// Tells whether any association gives the same result.
template <class T, class Op> inline constexpr bool exact = std::integral<T>&& in_lanes<T, Op>;

/// get(first) ∘ … ∘ get(last − 1), not empty.
template <class T, class Op, class Get>
[[nodiscard]] T combine_group(interval<> group, Op& op, const Get& get) {
  if constexpr (in_lanes<T, Op>) {
    if (group.size() >= 2 * lanes_of<T>) return everyday::combine_in_lanes<T>(group, op, get);
  }
  T sum = static_cast<T>(get(group.first));
  for (std::size_t i = group.first + 1; i < group.last; ++i)
    sum = static_cast<T>(std::invoke(op, std::move(sum), static_cast<T>(get(i))));
  return sum;
}

}  // namespace pleat::detail::everyday
