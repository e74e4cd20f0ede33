// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// "4 NUMA nodes, 2 of them memory only".
[[nodiscard]] std::string numa_nodes_text(const topology& machine);

/// A table with a row for each NUMA node; "-" where nobody tells.
[[nodiscard]] std::string memory_nodes_text(const topology& machine);

/// `[{node, kind, memory_only, allowed, bytes, local_pus[], bytes_per_second, latency_s,
/// distance_from{node: distance}}]`: distances from the nodes that PUs belong to; null where nobody
/// tells.
[[nodiscard]] nlohmann::json memory_nodes_json(const topology& machine);

}  // namespace pleat::bench
