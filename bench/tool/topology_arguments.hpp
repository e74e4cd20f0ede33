// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
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

/// topology::xml of a file that may be damaged. hwloc ends the process on some of them, so a child
/// process reads the file first.
///
/// Throws: pleat::error naming the file if the child does not survive it or takes more than ten
/// seconds; else as topology::xml does.
/// Requires: no other threads in this process, since it forks.
[[nodiscard]] topology described_topology(const std::filesystem::path& file);

}  // namespace pleat::bench
