// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// Place of the block that a processor owns of every array, and its distance.
struct block_place {
  std::vector<unsigned> nodes;  ///< its pages are on these
  std::vector<double> shares;   ///< of its pages, on each of these nodes
  double local = 0;  ///< share of the owner's accesses to it that go to nodes local to the owner
  /// Distance from the owner to its pages, on average; 10 is the owner's node. None where nobody
  /// tells.
  std::optional<double> distance = 0;
};

/// [processor]. Weights of weighted-interleave are this kernel's if `on` is the host, else 1.
/// Throws: as nodes_of_pages.
[[nodiscard]] std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                                    const placement& where);

}  // namespace pleat::bench
