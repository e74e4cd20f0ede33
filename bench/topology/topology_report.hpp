// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat {
struct kernel_choice;
}

namespace pleat::bench {

/// The text that `pleat topology` prints: the machine and what restricts us, its tree, its NUMA
/// nodes, the processors in rank order, and the clusters of M(p) with the hardware each lies in.
/// Plain text, ends in a newline.
[[nodiscard]] std::string topology_text(const topology& machine, const machine_options& asked,
                                        const placement& placed, const cluster_tree& clusters);

/// JSON of the same: `{"context": {…}, "topology": {"processors": […], "clusters": […]}}`.
[[nodiscard]] nlohmann::json topology_json(const topology& machine, const machine_options& asked,
                                           const placement& placed, const cluster_tree& clusters);

/// Context of every result of the tool: the machine it was made on, its origin, counts,
/// restrictions, placement, versions. The "context" of topology_json.
[[nodiscard]] nlohmann::json machine_context(const topology& machine, const machine_options& asked,
                                             const placement& placed);

/// "4 NUMA nodes, 2 of them memory only".
[[nodiscard]] std::string numa_nodes_text(const topology& machine);

/// A table with a row for each NUMA node; "-" where nobody tells.
[[nodiscard]] std::string memory_nodes_text(const topology& machine);

/// `[{node, kind, memory_only, allowed, bytes, local_pus[], bytes_per_second, latency_s,
/// distance_from{node: distance}}]`: distances from the nodes that PUs belong to; null where nobody
/// tells.
[[nodiscard]] nlohmann::json memory_nodes_json(const topology& machine);

/// A table of which kernel does which work here, why, and what the others took. Ends in a newline.
[[nodiscard]] std::string kernels_text(std::span<const kernel_choice> choices);

/// Makes JSON of it: `[{"work", "chosen", "why", "candidates": [{"name", "ns"}]}]`; `ns`, of an
/// element, is null where nothing was measured.
[[nodiscard]] nlohmann::ordered_json kernels_json(std::span<const kernel_choice> choices);

}  // namespace pleat::bench
