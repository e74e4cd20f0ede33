// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/statistics.hpp"

namespace pleat::bench {

/// The median of what was measured of one pair, and the interval of that median.
struct matrix_cell {
  double median = 0;
  std::optional<interval> bounds;  ///< 95 %; none of fewer than 6 samples
  std::size_t samples = 0;
};

/// One measured quantity of every pair of a row and a column: processors, or NUMA nodes.
struct measured_matrix {
  std::string name;   ///< in JSON: "line_latency"
  std::string title;  ///< for people
  std::string unit;   ///< "s" or "B/s"
  bool symmetric = false;
  std::vector<std::string> rows, columns;
  std::vector<std::optional<matrix_cell>> cells;  ///< row after row; none where nothing is measured

  [[nodiscard]] const std::optional<matrix_cell>& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

/// A matrix to be measured.
struct matrix_plan {
  measured_matrix shape;  ///< without cells
  /// Row and column of what is measured; of a symmetric matrix one of each two.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  /// One sample. Of a symmetric matrix, row and column change places from round to round.
  std::function<double(std::size_t row, std::size_t column)> sample;
};

/// Effort of a measurement.
struct matrix_effort {
  unsigned rounds = 15;
  std::uint64_t seed = 1;           ///< of the order
  std::function<bool()> over = {};  ///< whether no sample may begin any more
  std::function<void(std::size_t done, std::size_t planned)> progress = {};  ///< in samples
};

struct matrix_samples {
  std::vector<measured_matrix> matrices;
  bool complete = true;  ///< all rounds were taken
};

/// Measures the matrices: a round takes one sample of every pair of each of them, in random order,
/// so that a drift of the machine falls on all alike.
///
/// Guarantees: every pair has a sample, or all pairs that have none were left out because the time
/// was over. Throws: what sample throws.
[[nodiscard]] matrix_samples take_samples(std::span<const matrix_plan> plans,
                                          const matrix_effort& effort);

}  // namespace pleat::bench
