// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

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

}  // namespace pleat::bench
