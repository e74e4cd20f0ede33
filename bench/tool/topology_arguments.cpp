// SPDX-License-Identifier: Apache-2.0
#include "topology_arguments.hpp"

#include "described_topology.hpp"

namespace pleat::bench {

void topology_arguments::add_to(tool_command& command) {
  auto described =
      command.add_option("--synthetic", synthetic, "A machine of your own making instead");
  described.type_name("\"numa:2 core:4 pu:2\"");
  command.add_option("--xml", xml, "A machine described by lstopo FILE.xml instead")
      .type_name("FILE")
      .excludes(described);
}

topology topology_arguments::topology() const {
  if (synthetic) return pleat::topology::synthetic(*synthetic);
  if (xml) return described_topology(*xml);
  return pleat::topology::host();
}

}  // namespace pleat::bench
