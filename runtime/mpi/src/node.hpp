// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>

#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::mpi {

/// The processes of a communicator that share this one's node.
class node {
 public:
  /// Collective over `all`. All functions throw environment_error, if MPI fails.
  explicit node(MPI_Comm all);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  [[nodiscard]] MPI_Comm processes() const noexcept { return comm_; }
  /// A communicator of all processes in which those of a node are neighbours, nodes in the order of
  /// their first processes. To be freed. Collective over `all`.
  [[nodiscard]] MPI_Comm side_by_side(MPI_Comm all) const;
  /// Tells whether some PU is one that several of the processes may use. Collective over the node.
  [[nodiscard]] bool overlaps(const topology& machine) const;
  /// Completes `options`, in which the topology is, with this process's share of the node's cores.
  void divide_cores(machine_options& options, bool shared) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace pleat::mpi
