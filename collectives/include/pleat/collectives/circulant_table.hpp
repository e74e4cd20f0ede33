// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/collectives/circulant.hpp>

namespace pleat {

/// The schedules of all ranks of a circulant graph.
///
/// Only received blocks are stored: rank r + skip[k] receives in round k the block that rank r
/// sends. Therefore building the table costs less than computing every schedule separately. Memory:
/// p · (q + 1) bytes. Thread safety: as a const vector.
///
/// Source: as circulant_graph; condition 2 there gives the sent blocks from the received ones.
class PLEAT_API circulant_table {
 public:
  /// Cost: O(p log p). Throws: std::bad_alloc.
  explicit circulant_table(const circulant_graph& graph);

  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }

  /// Baseblocks of the ranks, one entry for each.
  [[nodiscard]] std::span<const std::int8_t> baseblocks() const noexcept {
    return {entries_.data() + graph_.rounds() * row(), row()};
  }
  /// Blocks that the ranks receive in round k, one entry for each. Requires: k < q.
  [[nodiscard]] std::span<const std::int8_t> received(unsigned k) const noexcept {
    assert(k < graph_.rounds());
    return {entries_.data() + k * row(), row()};
  }
  /// Block that `rank` sends in round k. Requires: rank < p, k < q.
  [[nodiscard]] std::int8_t sent(std::uint32_t rank, unsigned k) const noexcept {
    return received(k)[graph_.to(rank, k)];
  }
  /// Returns the schedule of one rank. Requires: rank < p. Cost: O(log p).
  [[nodiscard]] circulant_schedule schedule(std::uint32_t rank) const noexcept;

 private:
  [[nodiscard]] std::size_t row() const noexcept { return graph_.processors(); }

  circulant_graph graph_;
  std::vector<std::int8_t> entries_;  // q rows of p, then the baseblocks
};

}  // namespace pleat
