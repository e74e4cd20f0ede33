// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <system_error>
#include <utility>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>

#include "synthetic_size.hpp"
#include "topology_snapshot.hpp"

static_assert(HWLOC_API_VERSION >= 0x00020500, "Pleat needs hwloc 2.5 or newer");

namespace pleat::detail {
namespace {

struct topology_deleter {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, topology_deleter>;

struct bitmap_deleter {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using bitmap = std::unique_ptr<hwloc_bitmap_s, bitmap_deleter>;

std::string last_problem() { return std::generic_category().message(errno); }

hwloc_handle make_handle() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw environment_error("hwloc cannot start: " + last_problem());
  hwloc_handle handle(raw);
  // All of the machine, so that we can say what is forbidden; and the calling thread stays where it
  // is (hwloc's x86 back end would visit every PU in turn).
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  return handle;
}

bitmap copy(hwloc_const_bitmap_t set) {
  bitmap result(hwloc_bitmap_dup(set));
  if (!result) throw std::bad_alloc();
  return result;
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

// The DRAM (or whatever hwloc lists first) attached to this object itself, behind memory caches.
hwloc_obj_t attached_numa_node(hwloc_obj_t object) {
  hwloc_obj_t memory = object->memory_first_child;
  while (memory != nullptr && memory->type != HWLOC_OBJ_NUMANODE)
    memory = memory->memory_first_child;
  return memory;
}

void collect_numa_nodes(hwloc_obj_t object, std::vector<unsigned>& logical) {
  if (const hwloc_obj_t node = attached_numa_node(object)) logical.push_back(node->logical_index);
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
    collect_numa_nodes(child, logical);
}

std::string with_index(std::string type, unsigned logical_index) {
  return std::move(type) + " L#" + std::to_string(logical_index);
}

bool is_cache(hwloc_obj_t object) { return hwloc_obj_type_is_cache(object->type) != 0; }

bool has_proper_name(hwloc_obj_t object) {
  return object->type != HWLOC_OBJ_GROUP || object->subtype != nullptr ||
         attached_numa_node(object) != nullptr;
}

// Groups are hwloc's own or the kernel's levels without a name of their own; what they hold names
// them: one NUMA node, several, or a kind that the system reports ("Cluster", "Module").
std::string group_name(hwloc_obj_t group) {
  if (const hwloc_obj_t node = attached_numa_node(group))
    return with_index("NUMANode", node->logical_index);
  if (group->subtype != nullptr) return with_index(group->subtype, group->logical_index);
  std::vector<unsigned> nodes;
  collect_numa_nodes(group, nodes);
  std::sort(nodes.begin(), nodes.end());
  if (nodes.size() > 1) return "NUMANodes L#" + to_index_list(nodes);
  return with_index("Group" + std::to_string(group->attr->group.depth), group->logical_index);
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

// "Package L#0 + NUMANode L#0 (P#0, 5.7 GB)": an object and the memory attached to it.
std::string object_label(hwloc_obj_t object) {
  std::string label = object_name(object);
  const hwloc_obj_t node = attached_numa_node(object);
  if (object->type == HWLOC_OBJ_PU) {
    label += " (P#" + std::to_string(object->os_index) + ")";
  } else if (is_cache(object) && object->attr->cache.size > 0) {
    label += " (" + size_text(object->attr->cache.size) + ")";
  }
  if (node != nullptr) {
    // A group named after its node is the node.
    if (object->type != HWLOC_OBJ_GROUP)
      label += " + " + with_index("NUMANode", node->logical_index);
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

unsigned local_numa_node(hwloc_obj_t pu) {
  const int first = hwloc_bitmap_first(pu->nodeset);
  for (hwloc_obj_t object = pu; object != nullptr; object = object->parent)
    if (const hwloc_obj_t node = attached_numa_node(object)) return node->os_index;
  return first < 0 ? 0u : static_cast<unsigned>(first);
}

class reader {
 public:
  reader(hwloc_topology_t source, topology::snapshot& target) : source_(source), target_(target) {}

  void read(hwloc_const_bitmap_t allowed) {
    add_object(hwloc_get_root_obj(source_), 0, 0, allowed);
    if (target_.units.empty())
      throw environment_error("hwloc sees no processing unit in " + target_.origin);
    for (const processing_unit& unit : target_.units) target_.numa_nodes.push_back(unit.numa);
    auto& nodes = target_.numa_nodes;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    target_.cores = static_cast<unsigned>(threads_of_core_.size());
    target_.packages =
        static_cast<unsigned>(std::max(hwloc_get_nbobjs_by_type(source_, HWLOC_OBJ_PACKAGE), 1));
    add_kinds();
    add_memory();
  }

 private:
  // Adds the node that `object` and the only children below it make up, then its children; returns
  // its height.
  unsigned add_object(hwloc_obj_t object, std::size_t parent, unsigned depth,
                      hwloc_const_bitmap_t allowed) {
    const std::size_t index = target_.objects.size();
    topology_object& node = target_.objects.emplace_back();
    node.parent = parent;
    node.depth = depth;
    node.first = target_.units.size();
    node.label = object_label(object);
    node.name = object_name(object);
    bool named = has_proper_name(object);
    std::vector<hwloc_obj_t> children = children_with_pus(object);
    while (children.size() == 1) {
      object = children.front();
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

  void add_unit(hwloc_obj_t pu, std::size_t object, hwloc_const_bitmap_t allowed) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(source_, HWLOC_OBJ_CORE, pu);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(source_, HWLOC_OBJ_PACKAGE, pu);
    processing_unit& unit = target_.units.emplace_back();
    unit.pu = pu->os_index;
    unit.core = core != nullptr ? core->logical_index : pu->logical_index;
    unit.thread = threads_of_core_[unit.core]++;
    unit.numa = local_numa_node(pu);
    unit.package = package != nullptr ? package->logical_index : 0;
    unit.allowed = hwloc_bitmap_isset(allowed, pu->os_index) != 0;
    unit.object = object;
  }

  // hwloc ranks kinds by efficiency, the slowest first. It is believed only where it knows the rank
  // of every kind and every PU belongs to one; guests of virtual machines often report kinds
  // that split a core, and those are no kinds.
  void add_kinds() {
    const int count = hwloc_cpukinds_get_nr(source_, 0);
    if (count < 2) return;
    std::map<unsigned, unsigned> kind_of_pu;
    for (unsigned kind = 0; kind < static_cast<unsigned>(count); ++kind) {
      const bitmap members(hwloc_bitmap_alloc());
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

  void add_memory() {
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(source_);
    std::map<unsigned, std::size_t> position;  // hwloc lists nodes in the order of the tree
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(source_, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
      target_.memory_nodes.push_back({node->os_index, node->attr->numanode.local_memory,
                                      hwloc_bitmap_isset(allowed, node->os_index) != 0});
    }
    auto& nodes = target_.memory_nodes;
    std::ranges::sort(nodes, {}, &numa_node::index);
    for (const numa_node& node : nodes) position.emplace(node.index, position.size());
    auto& distances = target_.distances;
    distances.assign(nodes.size() * nodes.size(), 20);
    for (std::size_t i = 0; i < nodes.size(); ++i) distances[i * nodes.size() + i] = 10;
    unsigned count = 1;
    hwloc_distances_s* told = nullptr;
    if (hwloc_distances_get_by_type(source_, HWLOC_OBJ_NUMANODE, &count, &told,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        count == 0)
      return;
    for (unsigned i = 0; i < told->nbobjs; ++i)
      for (unsigned j = 0; j < told->nbobjs; ++j)
        distances[position[told->objs[i]->os_index] * nodes.size() +
                  position[told->objs[j]->os_index]] =
            static_cast<unsigned>(told->values[i * told->nbobjs + j]);
    hwloc_distances_release(source_, told);
  }

  hwloc_topology_t source_;
  topology::snapshot& target_;
  std::map<unsigned, unsigned> threads_of_core_;
};

void count_allowed(topology::snapshot& data) {
  std::vector<unsigned> cores;
  data.allowed_pus = 0;
  for (const processing_unit& unit : data.units) {
    if (!unit.allowed) continue;
    ++data.allowed_pus;
    cores.push_back(unit.core);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  data.allowed_cores = static_cast<unsigned>(cores.size());
}

// Fills `data` from a loaded topology, restricted to its cpuset and, if given, an affinity mask.
void fill(topology::snapshot& data, hwloc_topology_t source, hwloc_const_bitmap_t affinity,
          const char* cpuset_reason) {
  reader(source, data).read(hwloc_topology_get_allowed_cpuset(source));
  count_allowed(data);
  if (data.allowed_pus < data.units.size()) {
    data.restrictions.push_back(
        {restriction::by::cpuset, data.allowed_cores, data.allowed_pus, cpuset_reason});
  }
  if (affinity != nullptr) {
    const unsigned before = data.allowed_pus;
    for (processing_unit& unit : data.units)
      unit.allowed = unit.allowed && hwloc_bitmap_isset(affinity, unit.pu) != 0;
    count_allowed(data);
    if (data.allowed_pus < before) {
      data.restrictions.push_back({restriction::by::affinity, data.allowed_cores, data.allowed_pus,
                                   "the affinity mask of this thread (taskset, a batch system, "
                                   "OMP_PROC_BIND, sched_setaffinity)"});
    }
  }
  if (data.allowed_pus == 0)
    throw environment_error("no processing unit of " + data.origin +
                            " is allowed: check the cpuset and the affinity mask (taskset -p $$)");
}

}  // namespace

topology::snapshot read_host() {
  topology::snapshot data;
  data.origin = "host";
  const hwloc_handle handle = make_handle();
  if (hwloc_topology_load(handle.get()) != 0)
    throw environment_error("hwloc cannot read this machine: " + last_problem());
  // HWLOC_XMLFILE, HWLOC_SYNTHETIC and the like replace the host by another machine.
  data.bindable = hwloc_topology_is_thissystem(handle.get()) != 0;
  bitmap affinity;
  if (data.bindable) {
    affinity = copy(hwloc_topology_get_topology_cpuset(handle.get()));
    if (hwloc_get_cpubind(handle.get(), affinity.get(), HWLOC_CPUBIND_THREAD) != 0) {
      if (errno != ENOSYS)
        throw environment_error("the affinity of this thread cannot be read: " + last_problem());
      affinity.reset();  // a system without affinity restricts nothing
    }
  } else {
    data.origin = "host as described by hwloc's environment variables";
  }
  fill(data, handle.get(), affinity.get(), "the cpuset of this process (container, control group)");
  return data;
}

topology::snapshot read_synthetic(const std::string& description) {
  topology::snapshot data;
  data.origin = "synthetic " + description;
  if (!soon_built(description))
    throw usage_error("synthetic topology \"" + description +
                      "\" is too large: hwloc would take minutes to build it; make it smaller, or "
                      "divide it further, as in \"numa:64 core:64 pu:2\"");
  const auto load = [](const std::string& text) {
    hwloc_handle handle = make_handle();
    if (hwloc_topology_set_synthetic(handle.get(), text.c_str()) != 0 ||
        hwloc_topology_load(handle.get()) != 0)
      handle.reset();
    return handle;
  };
  hwloc_handle handle;
  if (description.find_first_not_of(" \t\n") != std::string::npos) {
    handle = load(description);
    if (!handle) handle = load(description + " pu:1");
  }
  if (!handle)
    throw usage_error("\"" + description +
                      "\" is no synthetic topology: write types and how many of each the one "
                      "before holds, outermost first, as in \"numa:2 l3:2 core:4 pu:2\"");
  fill(data, handle.get(), nullptr, "the description");
  return data;
}

topology::snapshot read_xml(const std::filesystem::path& file) {
  topology::snapshot data;
  data.origin = "xml " + file.string();
  if (!std::ifstream(file))
    throw environment_error("topology file " + file.string() +
                            " cannot be opened: " + last_problem());
  const hwloc_handle handle = make_handle();
  if (hwloc_topology_set_xml(handle.get(), file.c_str()) != 0 ||
      hwloc_topology_load(handle.get()) != 0)
    throw environment_error("topology file " + file.string() +
                            " is no hwloc topology: write one with lstopo machine.xml");
  fill(data, handle.get(), nullptr, "the file");
  return data;
}

std::string topology_library() {
  const unsigned version = hwloc_get_api_version();  // 0x00020800 for 2.8
  return "hwloc API " + std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff);
}

}  // namespace pleat::detail
