// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/topology.hpp>

#include "measured_matrix.hpp"

namespace pleat::bench {

/// All pairs of processors that are equally near in the hardware's tree.
struct processor_relation {
  std::string name;       ///< "hardware threads of one core", "cores within one L3"
  unsigned depth = 0;     ///< of what joins them in the tree; the deeper the nearer
  std::size_t pairs = 0;  ///< of which something was measured
  double median = 0;      ///< of the pairs' medians
  double least = 0;
  double most = 0;
};

/// Names the nearness of two different PUs (the operating system's indexes): one of the relations
/// above. Requires: the topology has both.
[[nodiscard]] std::string relation_of(const topology& on, unsigned pu, unsigned other);

/// The relations of these PUs, the nearest first, with what a symmetric matrix says of them: its
/// rows and columns are the PUs in this order.
[[nodiscard]] std::vector<processor_relation> relations(const topology& on,
                                                        std::span<const unsigned> pus,
                                                        const measured_matrix& matrix);

}  // namespace pleat::bench
