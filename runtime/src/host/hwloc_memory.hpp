// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include <hwloc.h>

#include "host/topology_snapshot.hpp"

namespace pleat::detail {

// Adds the NUMA nodes, with all data on them, and the node of each unit. `object_of`: the object to
// which a node is attached, by the node's index; nodes that it lacks are attached to the root.
// Requires: objects and units are otherwise complete.
void add_memory(topology::snapshot& data, hwloc_topology_t source,
                const std::map<unsigned, std::size_t>& object_of);

}  // namespace pleat::detail
