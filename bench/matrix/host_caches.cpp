// SPDX-License-Identifier: Apache-2.0
#include "host_caches.hpp"

#include <hwloc.h>

#include "hwloc_machine.hpp"

namespace pleat::bench {

std::size_t last_level_cache_bytes() {
  const auto machine = load_hwloc();
  for (const auto type : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                          HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
    std::size_t bytes = 0;
    for (hwloc_obj_t cache = nullptr;
         (cache = hwloc_get_next_obj_by_type(machine.get(), type, cache)) != nullptr;)
      bytes += cache->attr->cache.size;
    if (bytes != 0) return bytes;
  }
  return 0;
}

}  // namespace pleat::bench
