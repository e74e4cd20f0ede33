// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep_file.hpp"

namespace pleat::bench {

/// Writes the sweep for a terminal. A series is the cases of Pleat that differ in n and processors
/// only; for each: a table of times, speed-up beside the ideal as bars for the largest n, and time
/// against n as bars on a logarithmic scale for the most processors. Then the rivals' times over
/// Pleat's, and the cases that failed.
///
/// Requires: sweep.has_keys().
[[nodiscard]] std::string scaling_text(const sweep_file& sweep);

/// One line of a bar chart.
struct bar {
  std::string label;
  double length = 0;  ///< in units of the chart's scale
  std::string value;  ///< written behind the bar
  /// End of a dotted line behind the bar, in the same units.
  std::optional<double> mark = {};
};

/// Returns a line for each bar: label, blocks, dots up to the mark, value. The longest bar or mark
/// is `columns` characters long.
[[nodiscard]] std::string bars_text(const std::vector<bar>& bars, std::size_t columns);

}  // namespace pleat::bench
