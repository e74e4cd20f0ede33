// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace pleat::bench {

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
