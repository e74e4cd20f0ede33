// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

struct hwloc_topology;

namespace pleat::bench {

struct hwloc_deleter {
  void operator()(hwloc_topology* machine) const;
};
using hwloc_machine = std::unique_ptr<hwloc_topology, hwloc_deleter>;

/// hwloc's own topology of this machine, or of a regular one in its synthetic notation: for what
/// pleat::topology leaves out. Cost: 1 to 50 ms. Throws: environment_error.
[[nodiscard]] hwloc_machine load_hwloc(const std::string& synthetic = {});

}  // namespace pleat::bench
