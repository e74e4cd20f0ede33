// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/placement.hpp>

namespace pleat::bench {

/// Reach of the barriers of one label in M(v), v ≥ p a power of two. The messages of a superstep
/// that such a barrier ends stay in a cluster, so they cross no more than the barrier does.
struct barrier_reach {
  unsigned label = 0;
  std::size_t clusters = 0;
  // The most that one of the clusters has:
  std::size_t processors = 0;
  std::size_t cores = 0;
  std::size_t nodes = 0;
  std::size_t packages = 0;
  std::vector<std::string> within = {};  ///< the hardware objects they lie in, each once

  /// The largest thing of which a cluster joins several: "packages", "nodes", "cores", "threads";
  /// "nothing" for clusters of one processor.
  [[nodiscard]] const char* crosses() const;
};

/// [label], of the first ⌈log2 p⌉, at least one. Requires: the tree was made from the placement.
[[nodiscard]] std::vector<barrier_reach> barrier_reaches(const cluster_tree& clusters,
                                                         const placement& where);

}  // namespace pleat::bench
