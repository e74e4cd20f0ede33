// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <pleat/runtime/topology.hpp>

namespace pleat::bench {

/// topology::xml of a file that may be damaged. hwloc ends the process on some of them, so a child
/// process reads the file first.
///
/// Throws: pleat::error naming the file if the child does not survive it or takes more than ten
/// seconds; else as topology::xml does.
/// Requires: no other threads in this process, since it forks.
[[nodiscard]] topology described_topology(const std::filesystem::path& file);

}  // namespace pleat::bench
