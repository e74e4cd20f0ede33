// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pleat/runtime/topology.hpp>

#include "command_line.hpp"

namespace pleat::bench {

/// The options of commands that show a machine without running anything on it: the host, or a
/// machine that is described.
struct topology_arguments {
  std::optional<std::string> synthetic, xml;

  void add_to(tool_command& command);

  /// Throws: as topology::synthetic and described_topology do.
  [[nodiscard]] pleat::topology topology() const;
};

}  // namespace pleat::bench
