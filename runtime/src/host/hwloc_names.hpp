// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <hwloc.h>

namespace pleat::detail {

// Lists the NUMA nodes attached to this object itself, also behind memory caches.
std::vector<hwloc_obj_t> attached_numa_nodes(hwloc_obj_t object);

// Tells whether the object has a proper name; levels that only hwloc or the kernel knows have none.
bool has_proper_name(hwloc_obj_t object);

// Returns the kind of an object and hwloc's logical index: "NUMANode L#0", "L3 L#1".
std::string object_name(hwloc_obj_t object);

// Returns a text for an object and all memory attached to it: "Package L#0 + NUMANode L#0 (P#0, 5.7
// GB)".
std::string object_label(hwloc_obj_t object);

}  // namespace pleat::detail
