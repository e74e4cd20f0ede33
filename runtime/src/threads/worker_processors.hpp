// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::detail {

/// Lists the processors of a machine that have a worker, in rank order. Processors that share a PU
/// have one worker, at the first of them: it switches between their virtual processors in some 10
/// ns, while the kernel takes microseconds to switch between threads. `each`: every processor has a
/// worker nevertheless.
/// Cost: O(p log p).
[[nodiscard]] std::vector<std::size_t> worker_processors(const placement& placed, bool each);

/// Tells whether that many workers on worker_processors() cannot all run at once: two share a PU,
/// or the quota is smaller than their number. Waiting workers then sleep at once.
[[nodiscard]] bool oversubscribed(const topology& machine, const placement& placed,
                                  std::size_t workers);

}  // namespace pleat::detail
