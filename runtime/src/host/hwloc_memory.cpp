// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "host/topology_snapshot.hpp"

namespace pleat::detail {
namespace {

memory_kind told_kind(hwloc_obj_t node) {
  const char* const told =
      node->subtype != nullptr ? node->subtype : hwloc_obj_get_info_by_name(node, "DAXType");
  const std::string_view name = told != nullptr ? told : "";
  if (name.starts_with("CXL")) return memory_kind::cxl;
  if (name == "HBM" || name == "MCDRAM") return memory_kind::hbm;
  if (name == "DRAM") return memory_kind::dram;
  return name == "NVM" ? memory_kind::nvm : memory_kind::unknown;
}

// Returns the best value for PUs of the node itself; 0 if none is reported.
double best_value(hwloc_topology_t source, hwloc_obj_t node, hwloc_memattr_id_t attribute,
                  bool higher) {
  unsigned count = 0;
  if (hwloc_memattr_get_initiators(source, attribute, node, 0, &count, nullptr, nullptr) != 0)
    return 0;
  std::vector<hwloc_location> from(count);
  std::vector<hwloc_uint64_t> values(count);
  if (hwloc_memattr_get_initiators(source, attribute, node, 0, &count, from.data(),
                                   values.data()) != 0)
    return 0;
  double best = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    if (from[i].type == HWLOC_LOCATION_TYPE_CPUSET &&
        hwloc_bitmap_intersects(from[i].location.cpuset, node->cpuset) != 0 && value > 0 &&
        (best == 0 || (value > best) == higher))
      best = value;
  }
  return best;
}

numa_node described(hwloc_topology_t source, hwloc_obj_t node) {
  constexpr double mebibyte = 1 << 20, nanosecond = 1e-9;
  return {.index = node->os_index,
          .bytes = node->attr->numanode.local_memory,
          .allowed =
              hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(source), node->os_index) != 0,
          .kind = told_kind(node),
          .bandwidth = mebibyte * best_value(source, node, HWLOC_MEMATTR_ID_BANDWIDTH, true),
          .latency = nanosecond * best_value(source, node, HWLOC_MEMATTR_ID_LATENCY, false)};
}

bool kernel_counts_processors_to(unsigned node) {
  std::ifstream file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
  std::string list;
  return static_cast<bool>(file >> list);
}

using nodes_of_objects = std::map<std::size_t, std::size_t>;  // positions in memory_nodes

// Finds for each object with nodes the node to which its PUs belong.
nodes_of_objects own_nodes(const topology::snapshot& data) {
  const auto order = [&](const numa_node& node) {
    return std::tuple(!data.bindable || !kernel_counts_processors_to(node.index),
                      node.kind != memory_kind::dram, node.index);
  };
  nodes_of_objects own;
  for (std::size_t i = 0; i < data.memory_nodes.size(); ++i) {
    const auto [found, first] = own.try_emplace(data.memory_nodes[i].object, i);
    if (!first && order(data.memory_nodes[i]) < order(data.memory_nodes[found->second]))
      found->second = i;
  }
  return own;
}

void add_nodes_of_units(topology::snapshot& data, const nodes_of_objects& own) {
  auto& nodes = data.numa_nodes;
  for (processing_unit& unit : data.units) {
    std::size_t object = unit.object;
    while (object != 0 && !own.contains(object)) object = data.objects[object].parent;
    const auto found = own.find(object);
    unit.numa = data.memory_nodes.at(found != own.end() ? found->second : 0).index;
    nodes.push_back(unit.numa);
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void compare_bandwidths(std::vector<numa_node>& nodes, const nodes_of_objects& own) {
  for (numa_node& node : nodes) {
    numa_node& beside = nodes[own.at(node.object)];
    if (node.kind != memory_kind::unknown || beside.kind > memory_kind::dram ||
        beside.bandwidth <= 0 || node.bandwidth < 2 * beside.bandwidth)
      continue;
    node.kind = memory_kind::hbm;
    beside.kind = memory_kind::dram;
  }
}

// Linux assumes distances where ACPI has no table of them. Containers hide the folder of tables.
bool firmware_is_silent() {
  const std::filesystem::path tables = "/sys/firmware/acpi/tables";
  std::error_code unseen;
  return std::filesystem::exists(tables, unseen) &&
         !std::filesystem::exists(tables / "SLIT", unseen);
}

void add_distances(topology::snapshot& data, hwloc_topology_t source) {
  const std::size_t nodes = data.memory_nodes.size();
  std::map<unsigned, std::size_t> position;
  for (const numa_node& node : data.memory_nodes) position.emplace(node.index, position.size());
  data.distances.assign(nodes * nodes, {});
  for (std::size_t i = 0; i < nodes; ++i) data.distances[i * nodes + i] = 10;
  if (data.bindable && firmware_is_silent()) return;
  unsigned count = 1;
  hwloc_distances_s* told = nullptr;
  if (hwloc_distances_get_by_type(source, HWLOC_OBJ_NUMANODE, &count, &told,
                                  HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                  0) != 0 ||
      count == 0)
    return;
  for (unsigned i = 0; i < told->nbobjs; ++i)
    for (unsigned j = 0; j < told->nbobjs; ++j)
      data.distances[position[told->objs[i]->os_index] * nodes +
                     position[told->objs[j]->os_index]] =
          static_cast<unsigned>(told->values[i * told->nbobjs + j]);
  hwloc_distances_release(source, told);
}

}  // namespace

void add_memory(topology::snapshot& data, hwloc_topology_t source,
                const std::map<unsigned, std::size_t>& object_of) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(source, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    const auto object = object_of.find(node->os_index);
    data.memory_nodes.push_back(described(source, node));
    if (object != object_of.end()) data.memory_nodes.back().object = object->second;
  }
  std::ranges::sort(data.memory_nodes, {}, &numa_node::index);
  const nodes_of_objects own = own_nodes(data);
  add_nodes_of_units(data, own);
  compare_bandwidths(data.memory_nodes, own);
  add_distances(data, source);
}

}  // namespace pleat::detail
