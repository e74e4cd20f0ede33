// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace pleat::detail {

/// Piece of a buffer: its beginning and its length, in bytes.
struct piece {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Division of `count` elements into `blocks` blocks whose sizes differ by at most one element.
struct block_split {
  std::size_t element;  // bytes
  std::size_t count;
  std::size_t blocks;

  [[nodiscard]] piece at(std::size_t block) const noexcept {
    const std::size_t share = count / blocks, longer = count % blocks;
    const std::size_t first = block * share + std::min(block, longer);
    return {first * element, (share + (block < longer)) * element};
  }
};

/// Layout of a buffer with a part for each rank of a segment, in the order of the ranks.
struct layout {
  std::size_t element = 0;                 // bytes
  std::size_t each = 0;                    // elements a rank, if `ends` is empty
  std::span<const std::size_t> ends = {};  // [rank]: end of its part, in elements

  [[nodiscard]] std::size_t first(std::size_t rank) const noexcept {
    if (ends.empty()) return rank * each;
    return rank == 0 ? 0 : ends[rank - 1];
  }
  [[nodiscard]] std::size_t count(std::size_t rank) const noexcept {
    return ends.empty() ? each : ends[rank] - first(rank);
  }
  [[nodiscard]] piece part(std::size_t rank) const noexcept {
    return {first(rank) * element, count(rank) * element};
  }
  /// Rank whose part contains an element.
  [[nodiscard]] std::size_t owner(std::size_t at) const noexcept {
    if (ends.empty()) return at / each;
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
  }
  /// Block `block` of `blocks` of a rank's part.
  [[nodiscard]] piece at(std::size_t rank, std::size_t block, std::size_t blocks) const noexcept {
    const piece inside = block_split{element, count(rank), blocks}.at(block);
    return {first(rank) * element + inside.offset, inside.bytes};
  }
  /// Size of a buffer for `ranks` ranks, in bytes.
  [[nodiscard]] std::size_t total(std::size_t ranks) const noexcept {
    return first(ranks - 1) * element + count(ranks - 1) * element;
  }
  /// The longest part, in elements.
  [[nodiscard]] std::size_t longest(std::size_t ranks) const noexcept {
    std::size_t most = ends.empty() ? each : 0;
    for (std::size_t rank = 0; rank < ends.size() && rank < ranks; ++rank)
      most = std::max(most, count(rank));
    return most;
  }
};

/// Layout of parts that are as equal as whole elements can be; their ends are kept in `ends`.
[[nodiscard]] inline layout balanced_layout(const block_split& data, std::size_t ranks,
                                            std::vector<std::size_t>& ends) {
  ends.clear();
  const block_split split{1, data.count, ranks};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const piece part = split.at(rank);
    ends.push_back(part.offset + part.bytes);
  }
  return {data.element, 0, ends};
}

}  // namespace pleat::detail
