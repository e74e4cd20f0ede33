// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <hwloc.h>

#include "host/topology_snapshot.hpp"

namespace pleat::detail {

struct topology_deleter {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, topology_deleter>;

struct bitmap_deleter {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using bitmap_handle = std::unique_ptr<hwloc_bitmap_s, bitmap_deleter>;

// Fills `data` from a loaded topology, restricted to its cpuset and, if given, an affinity mask.
void fill_snapshot(topology::snapshot& data, hwloc_topology_t source, hwloc_const_bitmap_t affinity,
                   const char* cpuset_reason);

}  // namespace pleat::detail
