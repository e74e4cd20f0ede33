// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/median_interval.hpp"

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

}  // namespace pleat::bench
