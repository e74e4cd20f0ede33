// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include <hwloc.h>

#include "host/topology_snapshot.hpp"

namespace pleat::detail {

// Adds the NUMA nodes, with all that is known of them, and the node of each unit. `object_of`: the
// object that a node is attached to, by the node's index; nodes that it lacks are the root's.
// Requires: objects and units are complete otherwise.
void add_memory(topology::snapshot& data, hwloc_topology_t source,
                const std::map<unsigned, std::size_t>& object_of);

}  // namespace pleat::detail
