// SPDX-License-Identifier: Apache-2.0
#include "memory_nodes.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "readable.hpp"
#include "table.hpp"

namespace pleat::bench {
namespace {

bool is_memory_only(const topology& machine, const numa_node& node) {
  return !std::ranges::binary_search(machine.numa_nodes(), node.index);
}

std::vector<unsigned> local_pus(const topology& machine, const numa_node& node) {
  std::vector<unsigned> pus;
  const topology_object& object = machine.objects()[node.object];
  for (const processing_unit& unit : machine.units().subspan(object.first, object.size))
    if (machine.is_local(unit.numa, node.index)) pus.push_back(unit.pu);
  std::ranges::sort(pus);
  return pus;
}

nlohmann::json told(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

std::vector<std::string> row_of(const topology& machine, const numa_node& node) {
  std::string distances;
  for (const unsigned from : machine.numa_nodes()) {
    const auto distance = machine.distance(from, node.index);
    distances += (distances.empty() ? "" : ", ") + (distance ? std::to_string(*distance) : "-");
  }
  const std::string pus = to_index_list(local_pus(machine, node));
  return {std::to_string(node.index),
          std::string(to_string(node.kind)),
          is_memory_only(machine, node) ? "yes" : "no",
          node.allowed ? "yes" : "no",
          node.bytes > 0 ? readable_bytes(static_cast<double>(node.bytes)) : "-",
          pus.empty() ? "-" : pus,
          node.bandwidth > 0 ? readable_number(node.bandwidth / 1e9) + " GB/s" : "-",
          node.latency > 0 ? readable_time(node.latency) : "-",
          distances};
}

}  // namespace

std::string numa_nodes_text(const topology& machine) {
  const std::size_t all = machine.memory_nodes().size();
  const std::size_t alone = all - machine.numa_nodes().size();
  return std::to_string(all) + (all == 1 ? " NUMA node" : " NUMA nodes") +
         (alone == 0 ? "" : ", " + std::to_string(alone) + " of them memory only");
}

std::string memory_nodes_text(const topology& machine) {
  table rows({"node", "kind", "memory only", "allowed", "size", "local to PUs", "bandwidth",
              "latency", "distance from " + to_index_list(machine.numa_nodes())});
  for (const numa_node& node : machine.memory_nodes()) rows.add(row_of(machine, node));
  return rows.text();
}

nlohmann::json memory_nodes_json(const topology& machine) {
  nlohmann::json all = nlohmann::json::array();
  for (const numa_node& node : machine.memory_nodes()) {
    nlohmann::json distances = nlohmann::json::object();
    for (const unsigned from : machine.numa_nodes()) {
      const auto distance = machine.distance(from, node.index);
      distances[std::to_string(from)] = distance ? nlohmann::json(*distance) : nlohmann::json();
    }
    all.push_back({{"node", node.index},
                   {"kind", to_string(node.kind)},
                   {"memory_only", is_memory_only(machine, node)},
                   {"allowed", node.allowed},
                   {"bytes", node.bytes},
                   {"local_pus", local_pus(machine, node)},
                   {"bytes_per_second", told(node.bandwidth)},
                   {"latency_s", told(node.latency)},
                   {"distance_from", std::move(distances)}});
  }
  return all;
}

}  // namespace pleat::bench
