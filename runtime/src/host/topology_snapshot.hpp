// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hwloc.h>

#include <pleat/runtime/topology.hpp>

#include "host/binding.hpp"

namespace pleat {

// Content of a topology. Everything is copied from hwloc at once, so no hwloc object outlives the
// call that made it, and use of a topology needs neither hwloc nor a lock.
struct topology::snapshot {
  std::string origin;
  bool bindable = false;
  std::vector<processing_unit> units;
  std::vector<topology_object> objects;
  std::vector<unsigned> numa_nodes;
  std::vector<numa_node> memory_nodes;
  std::vector<std::optional<unsigned>> distances;  // [from][to], by position in memory_nodes
  struct cache {
    std::uint64_t id = 0;
    std::size_t bytes = 0;
  };
  std::vector<cache> last_caches;  // for each unit its largest cache; 0 bytes if none
  std::size_t cache_bytes = 0;     // sum over the caches of allowed units
  unsigned kinds = 1;
  unsigned cores = 0, packages = 0;
  unsigned allowed_cores = 0, allowed_pus = 0;
  std::optional<cpu_quota> quota;
  std::vector<restriction> restrictions;
};

namespace detail {

// Read a machine through hwloc, with its cpuset; read_host also an affinity mask; without a quota.
topology::snapshot read_host(const affinity& whose);
topology::snapshot read_synthetic(const std::string& description);
topology::snapshot read_xml(const std::filesystem::path& file);

std::string topology_library();

template <auto Free> struct freed_by {
  template <class T> void operator()(T* one) const { Free(one); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, freed_by<hwloc_topology_destroy>>;
using bitmap_handle = std::unique_ptr<hwloc_bitmap_s, freed_by<hwloc_bitmap_free>>;

// Fills `data` from a loaded topology, restricted to its cpuset and, if given, an affinity mask.
void fill_snapshot(topology::snapshot& data, hwloc_topology_t source, hwloc_const_bitmap_t affinity,
                   const char* cpuset_reason);

// Adds the NUMA nodes with all their data, and the node of each unit. `object_of` maps the index of
// a node to the object to which it is attached; nodes that it lacks are attached to the root.
// Requires: objects and units are otherwise complete.
void add_memory(topology::snapshot& data, hwloc_topology_t source,
                const std::map<unsigned, std::size_t>& object_of);

}  // namespace detail
}  // namespace pleat
