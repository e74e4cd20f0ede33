// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "node_memory.hpp"

namespace pleat::bench {

/// Bytes per second that threads pinned to these PUs read together from that memory, each its own
/// part of it from one end to the other, again and again, for 20 ms.
///
/// Requires: at least one PU. Throws: environment_error if the kernel refuses a PU.
[[nodiscard]] double node_bandwidth(std::span<const unsigned> pus, const node_memory& memory);

}  // namespace pleat::bench
