// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

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

/// A NUMA node as the matrices have it.
struct measured_node {
  unsigned numa = 0;            ///< the operating system's index
  std::vector<unsigned> pus;    ///< of the processors that are measured; none: memory alone
  std::vector<unsigned> cores;  ///< the first of these PUs on each core: where threads go
  std::size_t read_bytes = 0;   ///< what is read in order of its memory; 0: no memory for us
};

/// Processors and nodes that are measured, and the results.
struct measured_machine {
  std::vector<processor> processors;  ///< rows and columns of line_latency
  std::vector<measured_node> nodes;   ///< by index
  /// line_latency; then, of a node's processors (row) and the memory of a node (column),
  /// read_bandwidth, read_latency, and, if some node has two cores, loaded_latency.
  std::vector<measured_matrix> matrices;
  bool complete = true;  ///< no sample was left out for want of time

  [[nodiscard]] std::vector<unsigned> pus() const;
};

/// Measures all matrices of these processors within `seconds`: half of the time at most goes to
/// pairs of processors. Of all matrices that are measured together, a round takes one sample of
/// every pair, in random order, so that a drift of the machine falls on all alike. No sample begins
/// later; the one that is being taken then ends in some 20 ms on processors that nobody else uses.
///
/// `progress` is called after each sample with what is being measured, samples taken and planned.
/// Requires: processors not empty, no PU twice, of the host.
/// Throws: environment_error if the kernel refuses a PU, or memory on a node.
[[nodiscard]] measured_machine measure_matrices(
    const topology& on, std::span<const processor> processors, double seconds,
    const std::function<void(const char* what, std::size_t done, std::size_t planned)>& progress);

}  // namespace pleat::bench
