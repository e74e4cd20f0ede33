// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <hwloc.h>

namespace pleat::detail {

// The NUMA nodes attached to this object itself, also behind memory caches.
std::vector<hwloc_obj_t> attached_numa_nodes(hwloc_obj_t object);

// Tells whether the name says what the object is; levels that only hwloc or the kernel knows have
// none.
bool has_proper_name(hwloc_obj_t object);

// "NUMANode L#0", "L3 L#1": its kind and hwloc's logical index.
std::string object_name(hwloc_obj_t object);

// "Package L#0 + NUMANode L#0 (P#0, 5.7 GB)": an object and all memory attached to it.
std::string object_label(hwloc_obj_t object);

}  // namespace pleat::detail
