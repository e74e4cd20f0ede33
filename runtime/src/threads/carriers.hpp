// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

/// Which processors of a machine have a thread that carries out virtual processors, in rank order.
/// Those that share a PU have one between them, the first one's: it switches between their virtual
/// processors in some 10 ns, where the kernel takes microseconds to switch between threads.
/// `each`: a thread for each processor all the same.
/// Cost: O(p log p).
[[nodiscard]] PLEAT_API std::vector<std::size_t> carriers(const placement& placed, bool each);

/// Do that many threads, as carriers() has them, get in each other's way: is a PU another's too, or
/// the quota smaller than their number? Then whoever waits sleeps at once.
[[nodiscard]] PLEAT_API bool crowded(const topology& machine, const placement& placed,
                                     std::size_t threads);

}  // namespace pleat::detail
