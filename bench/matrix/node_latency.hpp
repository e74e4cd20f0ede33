// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <span>

#include "node_memory.hpp"

namespace pleat::bench {

/// Seconds that a read of that memory takes when its address is known only after the read before
/// it: one thread, pinned to the first of these PUs, follows pointers from a random place for 10
/// ms, while threads on the others read the memory in order as fast as they can. With one PU, of
/// idle memory.
///
/// Requires: at least one PU. Throws: environment_error if the kernel refuses a PU.
[[nodiscard]] double node_latency(std::span<const unsigned> pus, const node_memory& memory,
                                  std::mt19937_64& random);

}  // namespace pleat::bench
