// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "fft/axes.hpp"

namespace pleat::detail::fourier {

/// Transform of all axes of a box by one VP. Its outermost axis is cut until a box fits the cache
/// or has two axes; that box is transformed axis by axis, and then, on the way out, the axes that
/// were cut. So an axis of any box takes one pass over memory, and several a single one if they fit
/// together. (An inverse transform to real numbers, which ends with the innermost axis, does all
/// that in the opposite order.)
template <class T> class axes_box {
 public:
  /// Requires: axes in the order in which they are transformed; if `innermost_first`, those with
  /// longer strides later, else earlier. `beside` is the dimension that is not transformed and
  /// whose elements follow each other, if there is one.
  axes_box(const std::vector<transformed_axis<T>>& axes, bool innermost_first,
           const std::optional<lined_dimension>& beside)
      : innermost_first_(innermost_first) {
    std::vector<transformed_axis<T>> inwards = axes;
    if (innermost_first) std::reverse(inwards.begin(), inwards.end());
    std::size_t cut = 0;
    while (inwards.size() - cut > 2 && numbers_from(inwards, cut, beside) * sizeof(T) > cached)
      ++cut;
    const auto besides = [&](std::size_t first, std::size_t without) {
      std::vector<lined_dimension> seen;
      for (std::size_t i = first; i < inwards.size(); ++i)
        if (i != without) seen.push_back(inwards[i].along);
      if (beside) seen.push_back(*beside);
      return seen;
    };
    for (std::size_t i = 0; i < cut; ++i)
      cut_.push_back({inwards[i].along, inwards[i].pass(besides(i + 1, i))});
    for (std::size_t i = cut; i < inwards.size(); ++i)
      whole_.push_back(inwards[i].pass(besides(cut, i)));
    if (innermost_first) std::reverse(whole_.begin(), whole_.end());
  }

  [[nodiscard]] std::size_t numbers() const noexcept {
    std::size_t most = 0;
    for (const auto& one : cut_) most = std::max(most, one.second.of.numbers());
    for (const auto& one : whole_) most = std::max(most, one.of.numbers());
    return most;
  }
  void run(const places<T>& at, T* memory) const noexcept { run_from(0, at, memory); }

 private:
  /// A box of so many bytes stays in the second-level cache while its axes are transformed.
  static constexpr std::size_t cached = std::size_t{1} << 19;

  static std::size_t numbers_from(const std::vector<transformed_axis<T>>& axes, std::size_t first,
                                  const std::optional<lined_dimension>& beside) {
    std::size_t product = beside ? 2 * beside->size : 2;
    for (std::size_t i = first; i < axes.size(); ++i) product *= axes[i].along.size;
    return product;
  }
  static void run_all(const placed_pass<T>& one, const places<T>& at, T* memory) noexcept {
    one.run(at, {0, one.of.groups()}, memory);
  }
  void run_from(std::size_t level, const places<T>& at, T* memory) const noexcept {
    if (level == cut_.size()) {
      for (const auto& one : whole_) run_all(one, at, memory);
      return;
    }
    const auto& [along, pass] = cut_[level];
    if (!innermost_first_) run_all(pass, at, memory);
    for (std::size_t i = 0; i < along.size; ++i) run_from(level + 1, at.at(along, i), memory);
    if (innermost_first_) run_all(pass, at, memory);
  }

  bool innermost_first_;
  std::vector<std::pair<lined_dimension, placed_pass<T>>> cut_;  ///< from outside
  std::vector<placed_pass<T>> whole_;                            ///< of the inner box, in order
};

}  // namespace pleat::detail::fourier
