// SPDX-License-Identifier: Apache-2.0
#include "hwloc_machine.hpp"

#include <cerrno>
#include <system_error>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

void hwloc_deleter::operator()(hwloc_topology* machine) const { hwloc_topology_destroy(machine); }

hwloc_machine load_hwloc(const std::string& synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw environment_error("hwloc cannot start: " + std::generic_category().message(errno));
  hwloc_machine machine(raw);
  // All of the machine, as `pleat topology` shows it; and the calling thread stays where it is.
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if ((!synthetic.empty() && hwloc_topology_set_synthetic(raw, synthetic.c_str()) != 0) ||
      hwloc_topology_load(raw) != 0)
    throw environment_error("hwloc cannot read the machine: " +
                            std::generic_category().message(errno));
  return machine;
}

}  // namespace pleat::bench
