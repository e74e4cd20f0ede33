// SPDX-License-Identifier: Apache-2.0
#include "host/hwloc_names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include <pleat/runtime/topology.hpp>

namespace pleat::detail {
namespace {

std::string size_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, value < 10 && unit > 2 ? "%.1f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

std::string with_index(std::string type, unsigned logical_index) {
  return std::move(type) + " L#" + std::to_string(logical_index);
}

void collect_numa_nodes(hwloc_obj_t object, std::vector<unsigned>& logical) {
  for (const hwloc_obj_t node : attached_numa_nodes(object)) logical.push_back(node->logical_index);
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
    collect_numa_nodes(child, logical);
}

bool is_cache(hwloc_obj_t object) { return hwloc_obj_type_is_cache(object->type) != 0; }

// Names a group, a level of hwloc or of the kernel without a name of its own, after its contents:
// one NUMA node, several, or a kind that the system reports ("Cluster", "Module").
std::string group_name(hwloc_obj_t group) {
  if (const auto attached = attached_numa_nodes(group); !attached.empty())
    return with_index("NUMANode", attached.front()->logical_index);
  if (group->subtype != nullptr) return with_index(group->subtype, group->logical_index);
  std::vector<unsigned> nodes;
  collect_numa_nodes(group, nodes);
  std::sort(nodes.begin(), nodes.end());
  if (nodes.size() > 1) return "NUMANodes L#" + to_index_list(nodes);
  return with_index("Group" + std::to_string(group->attr->group.depth), group->logical_index);
}

void collect_attached(hwloc_obj_t memory, std::vector<hwloc_obj_t>& found) {
  for (; memory != nullptr; memory = memory->next_sibling) {
    if (memory->type == HWLOC_OBJ_NUMANODE) found.push_back(memory);
    collect_attached(memory->memory_first_child, found);
  }
}

}  // namespace

std::vector<hwloc_obj_t> attached_numa_nodes(hwloc_obj_t object) {
  std::vector<hwloc_obj_t> found;
  collect_attached(object->memory_first_child, found);
  return found;
}

bool has_proper_name(hwloc_obj_t object) {
  return object->type != HWLOC_OBJ_GROUP || object->subtype != nullptr ||
         !attached_numa_nodes(object).empty();
}

std::string object_name(hwloc_obj_t object) {
  if (object->type == HWLOC_OBJ_MACHINE) return "Machine";
  if (object->type == HWLOC_OBJ_GROUP) return group_name(object);
  if (!is_cache(object))
    return with_index(hwloc_obj_type_string(object->type), object->logical_index);
  std::string type(1, 'L');
  type += std::to_string(object->attr->cache.depth);
  if (object->attr->cache.type == HWLOC_OBJ_CACHE_DATA) type += 'd';
  if (object->attr->cache.type == HWLOC_OBJ_CACHE_INSTRUCTION) type += 'i';
  return with_index(std::move(type), object->logical_index);
}

std::string object_label(hwloc_obj_t object) {
  std::string label = object_name(object);
  if (object->type == HWLOC_OBJ_PU) {
    label += " (P#" + std::to_string(object->os_index) + ")";
  } else if (is_cache(object) && object->attr->cache.size > 0) {
    label += " (" + size_text(object->attr->cache.size) + ")";
  }
  bool named = object->type == HWLOC_OBJ_GROUP;  // a group is named after its first node
  for (const hwloc_obj_t node : attached_numa_nodes(object)) {
    if (!named) label += " + " + with_index("NUMANode", node->logical_index);
    named = false;
    label += " (P#" + std::to_string(node->os_index);
    if (node->attr->numanode.local_memory > 0)
      label += ", " + size_text(node->attr->numanode.local_memory);
    label += ")";
  }
  return label;
}

}  // namespace pleat::detail
