// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <bit>
#include <cassert>
#include <cstddef>

namespace pleat {

struct division;

/// An aligned range of virtual processors, an i-cluster with i = `label`: the unit of recursion.
/// `sync(label)` is its barrier.
struct segment {
  std::size_t first = 0;
  std::size_t size = 1;
  unsigned label = 0;

  [[nodiscard]] constexpr bool contains(std::size_t rank) const noexcept {
    return rank - first < size;
  }

  /// Divides `count` equal sub-problems among the VPs of the segment, as every recursion does. With
  /// size ≥ count every sub-problem gets a sub-segment of size/count VPs, on which the program
  /// recurses; with size < count every VP gets a range of whole sub-problems for its sequential
  /// kernel.
  ///
  /// Requires: rank in this segment; `count` and `size` powers of two, or size == 1, or
  /// size == count (each VP one sub-problem, whatever the number). Cost: none, arithmetic only.
  [[nodiscard]] constexpr division divide(std::size_t count, std::size_t rank) const;
};

/// Result of `segment::divide` for one VP.
struct division {
  segment part;               ///< the sub-segment to recurse in (a single VP if size ≤ count)
  std::size_t first_problem;  ///< the first of my sub-problems
  std::size_t problems;       ///< number of my sub-problems (one if size ≥ count)
};

constexpr division segment::divide(std::size_t count, std::size_t rank) const {
  assert(count >= 1 && contains(rank));
  const std::size_t mine = rank - first;
  if (size == 1) return {*this, 0, count};
  if (size == count)
    return {{rank, 1, label + static_cast<unsigned>(std::bit_width(size - 1))}, mine, 1};
  assert(std::has_single_bit(size) && std::has_single_bit(count));
  if (size > count) {
    const std::size_t each = size / count;
    const std::size_t problem = mine / each;
    return {{first + problem * each, each, label + static_cast<unsigned>(std::countr_zero(count))},
            problem,
            1};
  }
  const std::size_t each = count / size;
  return {{rank, 1, label + static_cast<unsigned>(std::countr_zero(size))}, mine * each, each};
}

}  // namespace pleat
