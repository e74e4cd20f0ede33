// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pleat::bench {

/// Bytes of all caches of the last level of this machine together, as hwloc sees them; 0 where it
/// sees none. Cost: 1 to 50 ms. Throws: environment_error if the machine cannot be read.
[[nodiscard]] std::size_t last_level_cache_bytes();

}  // namespace pleat::bench
