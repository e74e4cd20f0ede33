// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pleat::detail {

/// Tells whether hwloc builds the synthetic machine described within a few seconds; it would set
/// out to build any. Bad descriptions are left to hwloc to refuse.
[[nodiscard]] bool soon_built(const std::string& description);

}  // namespace pleat::detail
