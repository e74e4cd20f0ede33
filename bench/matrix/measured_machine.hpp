// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "matrix_samples.hpp"

namespace pleat::bench {

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
  /// The nodes that have processors: rows.
  [[nodiscard]] std::vector<measured_node> initiators() const;
  /// The nodes that have memory: columns.
  [[nodiscard]] std::vector<measured_node> targets() const;
};

/// The nodes of these processors, and those whose memory this process may use.
/// `cache_bytes` is the size of all last-level caches together.
[[nodiscard]] std::vector<measured_node> nodes_of(const topology& on,
                                                  std::span<const processor> processors,
                                                  std::size_t cache_bytes);

/// Measures all matrices of these processors within `seconds`: half of the time at most goes to
/// pairs of processors. No sample begins later; the one that is being taken then ends in some 20 ms
/// on processors that nobody else uses.
///
/// `progress` is called after each sample with what is being measured, samples taken and planned.
/// Requires: processors not empty, no PU twice, of the host.
/// Throws: environment_error if the kernel refuses a PU, or memory on a node.
[[nodiscard]] measured_machine measure_matrices(
    const topology& on, std::span<const processor> processors, double seconds,
    const std::function<void(const char* what, std::size_t done, std::size_t planned)>& progress);

}  // namespace pleat::bench
