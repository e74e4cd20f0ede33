// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "matrix_samples.hpp"

namespace pleat::bench {

/// Look of a heat map.
struct heat_map_look {
  bool colours = false;                ///< cells have a background, by terminal escapes
  std::optional<std::size_t> columns;  ///< of the terminal; none: as wide as the map is
};

/// The matrix as text: a line for each row, its cells' medians in one unit ("ns", "GB/s"), which
/// the first line names. `·` stands where nothing is measured.
///
/// With colours, backgrounds go from violet (least) to yellow (most) on a logarithmic scale; the
/// figures say the same without. Where figures do not fit into the columns, each cell is a digit
/// instead, and lines below say which values a digit stands for; where not even digits fit, the
/// columns of the matrix stand in several blocks. Ends in a newline.
[[nodiscard]] std::string heat_map(const measured_matrix& matrix, const heat_map_look& look = {});

}  // namespace pleat::bench
