// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace pleat::detail {

/// Bytes of the elements of a strided array: up to 8 dimensions, strides of any sign.
///
/// Elements of two arrays, or two of one, share a byte if a sum Σ xᵢ·sᵢ of indices times strides
/// lies in an interval of about an element's size: a knapsack problem. The answer is exact unless
/// it takes more than 2^20 intervals (see below): then it is that they do. Cost: O(1) for arrays
/// that are apart in memory; O(log n) for two strides, after those without gaps are joined and
/// equal ones counted once, as for all matrices. Each further stride, longest first, leaves the
/// shorter ones disjoint intervals to reach: a few if the strides are those of one larger array; in
/// general no more than the gaps in memory that the shorter strides reach over, for nested arrays
/// the rows of one index of the outermost dimension. Memory: these intervals.
class PLEAT_API strided_box {
 public:
  static constexpr std::size_t most_dimensions = 8;

  strided_box(const void* first, std::size_t element_bytes);
  /// Adds a dimension of so many indices, `stride` bytes from one to the next.
  strided_box& along(std::size_t indices, std::ptrdiff_t stride);

  /// Finds a dimension, in the order of adding, in whose index two elements differ that share a
  /// byte.
  [[nodiscard]] std::optional<std::size_t> colliding_dimension() const;

  friend bool overlap(const strided_box& a, const strided_box& b);

 private:
  struct dimension {
    std::ptrdiff_t stride, last;  ///< distance from index to index, ≥ 0; last index
    std::size_t number;           ///< in the order of adding
  };

  std::ptrdiff_t lowest_;  ///< address
  std::ptrdiff_t element_bytes_;
  bool empty_ = false;
  std::size_t added_ = 0, count_ = 0;
  std::array<dimension, most_dimensions> dimensions_{};  ///< of several indices, by stride
};

/// Tells whether the arrays have a byte in common.
[[nodiscard]] PLEAT_API bool overlap(const strided_box& a, const strided_box& b);

}  // namespace pleat::detail
