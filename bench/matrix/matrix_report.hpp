// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "heat_map.hpp"
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

}  // namespace pleat::bench
