// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/topology.hpp>

#include "heat_map.hpp"
#include "matrix_samples.hpp"
#include "measured_machine.hpp"

namespace pleat::bench {

/// The matrices as heat maps, and what pairs of processors of each relation have in common. Rows of
/// processors name the core and the thread where cores have several of them.
[[nodiscard]] std::string matrix_text(const topology& on, const measured_machine& measured,
                                      const heat_map_look& look);

/// `{confidence, stopped, processors[]{rank, pu, core, thread, numa, package}, nodes[]{numa, pus,
/// threads, read_bytes}, matrices[]{name, title, unit, symmetric, rows[], columns[], median[][],
/// interval_low[][], interval_high[][], samples[][]}, relations[]{name, depth, pairs, median_s,
/// least_s, most_s}}`: seconds and bytes per second; null where nothing is measured or there are
/// too few samples for an interval; rows and columns are the operating system's indexes.
[[nodiscard]] nlohmann::ordered_json matrix_json(const topology& on,
                                                 const measured_machine& measured);

/// Line about what the time limit has left out; empty if nothing.
[[nodiscard]] std::string what_is_coarse(const measured_machine& measured);

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
