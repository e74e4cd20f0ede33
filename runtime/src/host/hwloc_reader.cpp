// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "host/topology_snapshot.hpp"

namespace pleat::detail {
namespace {

void collect_attached(hwloc_obj_t memory, std::vector<hwloc_obj_t>& found) {
  for (; memory != nullptr; memory = memory->next_sibling) {
    if (memory->type == HWLOC_OBJ_NUMANODE) found.push_back(memory);
    collect_attached(memory->memory_first_child, found);
  }
}

// Lists the NUMA nodes attached to this object itself, also behind memory caches.
std::vector<hwloc_obj_t> attached_numa_nodes(hwloc_obj_t object) {
  std::vector<hwloc_obj_t> found;
  collect_attached(object->memory_first_child, found);
  return found;
}

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

// Tells whether the object has a proper name; levels that only hwloc or the kernel knows have none.
bool has_proper_name(hwloc_obj_t object) {
  return object->type != HWLOC_OBJ_GROUP || object->subtype != nullptr ||
         !attached_numa_nodes(object).empty();
}

// Returns the kind of an object and hwloc's logical index: "NUMANode L#0", "L3 L#1".
std::string object_name(hwloc_obj_t object) {
  if (object->type == HWLOC_OBJ_MACHINE) return "Machine";
  if (object->type == HWLOC_OBJ_GROUP) return group_name(object);
  char type[32];
  hwloc_obj_type_snprintf(type, sizeof type, object, 0);
  return with_index(type, object->logical_index);
}

// Returns a text for an object and all memory attached to it: "Package L#0 + NUMANode L#0 (P#0, 5.7
// GB)".
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

std::vector<hwloc_obj_t> children_with_pus(hwloc_obj_t object) {
  std::vector<hwloc_obj_t> children;
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
    if (hwloc_bitmap_iszero(child->cpuset) == 0) children.push_back(child);
  return children;
}

topology::snapshot::cache largest_cache(hwloc_obj_t pu) {
  topology::snapshot::cache largest;
  for (hwloc_obj_t object = pu; object != nullptr; object = object->parent) {
    if (is_cache(object) && object->attr->cache.type != HWLOC_OBJ_CACHE_INSTRUCTION &&
        object->attr->cache.size > largest.bytes)
      largest = {object->gp_index, object->attr->cache.size};
  }
  return largest;
}

class reader {
 public:
  reader(hwloc_topology_t source, topology::snapshot& target) : source_(source), target_(target) {}

  void read(hwloc_const_bitmap_t allowed) {
    add_object(hwloc_get_root_obj(source_), 0, 0, allowed);
    if (target_.units.empty())
      throw environment_error("hwloc sees no processing unit in " + target_.origin);
    target_.cores = static_cast<unsigned>(threads_of_core_.size());
    target_.packages =
        static_cast<unsigned>(std::max(hwloc_get_nbobjs_by_type(source_, HWLOC_OBJ_PACKAGE), 1));
    add_kinds();
    add_memory(target_, source_, object_of_node_);
  }

 private:
  // Adds one node for `object` and the chain of only children below it, then the node's children;
  // returns its height.
  unsigned add_object(hwloc_obj_t object, std::size_t parent, unsigned depth,
                      hwloc_const_bitmap_t allowed) {
    const std::size_t index = target_.objects.size();
    topology_object& node = target_.objects.emplace_back();
    node.parent = parent;
    node.depth = depth;
    node.first = target_.units.size();
    node.label = object_label(object);
    node.name = object_name(object);
    take_memory(object, index);
    bool named = has_proper_name(object);
    std::vector<hwloc_obj_t> children = children_with_pus(object);
    while (children.size() == 1) {
      object = children.front();
      take_memory(object, index);
      children = children_with_pus(object);
      node.label += " + " + object_label(object);
      if (has_proper_name(object) || !named) node.name = object_name(object);
      named = named || has_proper_name(object);
    }
    if (object->type == HWLOC_OBJ_PU) add_unit(object, index, allowed);
    unsigned height = 0;
    for (const hwloc_obj_t child : children)
      height = std::max(height, add_object(child, index, depth + 1, allowed) + 1);
    topology_object& done = target_.objects[index];  // the vector may have moved
    done.size = target_.units.size() - done.first;
    done.height = height;
    return height;
  }

  void take_memory(hwloc_obj_t object, std::size_t index) {
    for (const hwloc_obj_t node : attached_numa_nodes(object))
      object_of_node_[node->os_index] = index;
  }

  void add_unit(hwloc_obj_t pu, std::size_t object, hwloc_const_bitmap_t allowed) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(source_, HWLOC_OBJ_CORE, pu);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(source_, HWLOC_OBJ_PACKAGE, pu);
    processing_unit& unit = target_.units.emplace_back();
    unit.pu = pu->os_index;
    unit.core = core != nullptr ? core->logical_index : pu->logical_index;
    unit.thread = threads_of_core_[unit.core]++;
    unit.package = package != nullptr ? package->logical_index : 0;
    unit.allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0;
    unit.object = object;
    target_.last_caches.push_back(largest_cache(pu));
  }

  // hwloc ranks kinds by efficiency, the slowest first. Kinds are used only if hwloc knows the rank
  // of each and every PU belongs to one. Virtual machines often report kinds that split a core;
  // these are ignored.
  void add_kinds() {
    const int count = hwloc_cpukinds_get_nr(source_, 0);
    if (count < 2) return;
    std::map<unsigned, unsigned> kind_of_pu;
    for (unsigned kind = 0; kind < static_cast<unsigned>(count); ++kind) {
      const bitmap_handle members(hwloc_bitmap_alloc());
      int efficiency = -1;
#if HWLOC_API_VERSION >= 0x00030000
      hwloc_cpukinds_get_info(source_, kind, members.get(), &efficiency, nullptr, 0);
#else
      hwloc_cpukinds_get_info(source_, kind, members.get(), &efficiency, nullptr, nullptr, 0);
#endif
      if (efficiency < 0) return;
      for (int pu = hwloc_bitmap_first(members.get()); pu >= 0;
           pu = hwloc_bitmap_next(members.get(), pu))
        kind_of_pu[static_cast<unsigned>(pu)] = kind;
    }
    std::map<unsigned, unsigned> kind_of_core;
    for (const processing_unit& unit : target_.units) {
      const auto kind = kind_of_pu.find(unit.pu);
      if (kind == kind_of_pu.end()) return;
      if (kind_of_core.try_emplace(unit.core, kind->second).first->second != kind->second) return;
    }
    for (processing_unit& unit : target_.units) unit.kind = kind_of_core[unit.core];
    target_.kinds = static_cast<unsigned>(count);
  }

  hwloc_topology_t source_;
  topology::snapshot& target_;
  std::map<unsigned, unsigned> threads_of_core_;
  std::map<unsigned, std::size_t> object_of_node_;
};

void count_allowed(topology::snapshot& data) {
  std::vector<unsigned> cores;
  std::map<std::uint64_t, std::size_t> caches;
  data.allowed_pus = 0;
  for (std::size_t i = 0; i < data.units.size(); ++i) {
    if (!data.units[i].allowed) continue;
    ++data.allowed_pus;
    cores.push_back(data.units[i].core);
    caches[data.last_caches[i].id] = data.last_caches[i].bytes;
  }
  data.cache_bytes = 0;
  for (const auto& [id, bytes] : caches) data.cache_bytes += bytes;
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  data.allowed_cores = static_cast<unsigned>(cores.size());
}

}  // namespace

void fill_snapshot(topology::snapshot& data, hwloc_topology_t source, hwloc_const_bitmap_t affinity,
                   const char* cpuset_reason) {
  reader(source, data).read(hwloc_topology_get_allowed_cpuset(source));
  count_allowed(data);
  if (data.allowed_pus < data.units.size())
    data.restrictions.push_back(
        {restriction::by::cpuset, data.allowed_cores, data.allowed_pus, cpuset_reason});
  if (affinity != nullptr) {
    const unsigned before = data.allowed_pus;
    for (processing_unit& unit : data.units)
      unit.allowed = unit.allowed && hwloc_bitmap_isset(affinity, unit.pu) != 0;
    count_allowed(data);
    if (data.allowed_pus < before)
      data.restrictions.push_back(
          {restriction::by::affinity, data.allowed_cores, data.allowed_pus,
           "the affinity mask (taskset, a batch system, sched_setaffinity)"});
  }
  if (data.allowed_pus == 0)
    throw environment_error("no processing unit of " + data.origin +
                            " is allowed: check the cpuset and the affinity mask (taskset -p $$)");
}

}  // namespace pleat::detail
