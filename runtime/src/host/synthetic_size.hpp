// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pleat::detail {

/// Tells whether hwloc builds the described synthetic machine within a few seconds; hwloc itself
/// has no limit. Invalid descriptions are left for hwloc to reject.
[[nodiscard]] bool soon_built(const std::string& description);

}  // namespace pleat::detail
