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
  bool colours = false;                ///< background colours for cells, by terminal escapes
  std::optional<std::size_t> columns;  ///< of the terminal; none: no limit
};

/// Returns the matrix as text: a line for each row, with the medians of its cells in one unit
/// ("ns", "GB/s"), which the first line names. `·` marks a cell that was not measured.
///
/// With colours, backgrounds go from violet (least) to yellow (most) on a logarithmic scale. If the
/// figures do not fit into the columns, each cell is a digit, and lines below give the least value
/// of each digit. If the digits do not fit either, the columns of the matrix are split into several
/// blocks. The text ends in a newline.
[[nodiscard]] std::string heat_map(const measured_matrix& matrix, const heat_map_look& look = {});

/// Returns the matrices as heat maps, the latencies by the relation of two processors, and a line
/// on intervals. Rows of processors name the core and the thread if some core has several threads.
[[nodiscard]] std::string matrix_text(const topology& on, const measured_machine& measured,
                                      const heat_map_look& look);

/// Returns `{confidence, stopped, processors[]{rank, pu, core, thread, numa, package},
/// nodes[]{numa, pus, threads, read_bytes}, matrices[]{name, title, unit, symmetric, rows[],
/// columns[], median[][], interval_low[][], interval_high[][], samples[][]}, relations[]{name,
/// depth, pairs, median_s, least_s, most_s}}`, in seconds and bytes per second. A median of no
/// samples or an interval of too few is null. Rows and columns are the operating system's indexes.
[[nodiscard]] nlohmann::ordered_json matrix_json(const topology& on,
                                                 const measured_machine& measured);

/// Returns a line on the pairs with no or too few samples; empty if no sample was left out.
[[nodiscard]] std::string what_is_coarse(const measured_machine& measured);

}  // namespace pleat::bench
