// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "matrix/measured_machine.hpp"

/// Matrices with made-up figures, of a regular machine in hwloc's notation: each figure says which
/// pair it is of.
struct made_up_machine {
  explicit made_up_machine(const std::string& description)
      : on(pleat::topology::synthetic(description)) {
    using pleat::bench::matrix_cell, pleat::bench::measured_matrix;
    measured.processors = pleat::place(on, pleat::parse_placement("compact/pu")).processors;
    measured.nodes = pleat::bench::nodes_of(on, measured.processors, 1 << 20);
    std::vector<std::string> pus, nodes;
    for (const unsigned pu : measured.pus()) pus.push_back(std::to_string(pu));
    for (const auto& node : measured.nodes) nodes.push_back(std::to_string(node.numa));
    const auto fill = [&](const char* name, const char* unit, bool symmetric,
                          const std::vector<std::string>& names, double scale) {
      measured_matrix matrix{name, name, unit, symmetric, names, names, {}};
      for (std::size_t row = 0; row < names.size(); ++row) {
        for (std::size_t column = 0; column < names.size(); ++column) {
          const double figure = scale * static_cast<double>(figure_of(row, column));
          if (symmetric && row == column)
            matrix.cells.emplace_back();
          else
            matrix.cells.push_back(
                matrix_cell{figure, pleat::bench::interval{figure * 0.9, figure * 1.1}, 15});
        }
      }
      measured.matrices.push_back(std::move(matrix));
    };
    fill("line_latency", "s", true, pus, 1e-9);
    fill("read_bandwidth", "B/s", false, nodes, 1 << 20);
    fill("read_latency", "s", false, nodes, 1e-9);
    fill("loaded_latency", "s", false, nodes, 2e-9);
  }

  /// Of a pair, in either order the same.
  static std::size_t figure_of(std::size_t row, std::size_t column) {
    return 100 + 10 * std::max(row, column) + std::min(row, column);
  }

  pleat::topology on;
  pleat::bench::measured_machine measured;
};
