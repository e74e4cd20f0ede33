// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// Where the block is that a processor owns of every array, and how far that is from it.
struct block_place {
  std::vector<unsigned> nodes;  ///< its pages are on these, evenly
  double local = 0;             ///< share of the owner's accesses to it that stay on its node
  double distance = 0;          ///< from the owner to its pages, on average; 10 is local
};

/// [processor]. Throws: as nodes_of_pages.
[[nodiscard]] std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                                    const placement& where);

}  // namespace pleat::bench
