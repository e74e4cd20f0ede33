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

/// Median of the samples of one pair, and its confidence interval.
struct matrix_cell {
  double median = 0;
  std::optional<interval> bounds;  ///< 95 %; none for fewer than 6 samples
  std::size_t samples = 0;
};

/// Quantity measured for each pair of a row and a column, which are processors or NUMA nodes.
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

/// NUMA node whose processors or memory are measured.
struct measured_node {
  unsigned numa = 0;            ///< the operating system's index
  std::vector<unsigned> pus;    ///< of its measured processors; none: memory alone is measured
  std::vector<unsigned> cores;  ///< the first of these PUs on each core; threads run there
  std::size_t read_bytes = 0;   ///< of its memory, read in order; 0: none of it may be used
};

/// Processors and nodes that are measured, and the results.
struct measured_machine {
  std::vector<processor> processors;  ///< rows and columns of line_latency
  std::vector<measured_node> nodes;   ///< by index
  /// line_latency; then, for processors of a node (row) and memory of a node (column),
  /// read_bandwidth, read_latency and, if some node has two cores, loaded_latency.
  std::vector<measured_matrix> matrices;
  bool complete = true;  ///< no sample was left out for want of time

  [[nodiscard]] std::vector<unsigned> pus() const;
};

/// Measures all matrices of these processors, with at most half of `seconds` for pairs of these.
/// No sample begins after `seconds`; one that has begun takes some 20 ms if the processors are
/// otherwise idle. Each round takes one sample of every pair of the matrices that are measured
/// together, in random order, so that a drift of the machine affects all alike.
///
/// `progress` is called after each sample with what is being measured, samples taken and planned.
/// Requires: processors not empty, no PU twice, of the host.
/// Throws: environment_error if hwloc fails, or the kernel refuses a PU or memory on a node.
[[nodiscard]] measured_machine measure_matrices(
    const topology& on, std::span<const processor> processors, double seconds,
    const std::function<void(const char* what, std::size_t done, std::size_t planned)>& progress);

}  // namespace pleat::bench
