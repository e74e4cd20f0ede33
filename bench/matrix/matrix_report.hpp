// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/topology.hpp>

#include "measured_machine.hpp"

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

/// The matrices as heat maps, and what pairs of processors of each relation have in common. Rows of
/// processors name the core and the thread where cores have several of them.
[[nodiscard]] std::string matrix_text(const topology& on, const measured_machine& measured,
                                      const heat_map_look& look);

/// `{confidence, stopped, processors[]{rank, pu, core, thread, numa, package}, nodes[]{numa, pus,
/// threads, read_bytes}, matrices[]{name, title, unit, symmetric, rows[], columns[], median[][],
/// interval_low[][], interval_high[][], samples[][]}, relations[]{name, depth, pairs, median_s,
/// least_s, most_s}}`: seconds and bytes per second; null where nothing is measured or there are
/// too few samples for an interval; rows and columns are the operating system's indexes.
[[nodiscard]] nlohmann::ordered_json matrix_json(const topology& on,
                                                 const measured_machine& measured);

/// Line about what the time limit has left out; empty if nothing.
[[nodiscard]] std::string what_is_coarse(const measured_machine& measured);

}  // namespace pleat::bench
