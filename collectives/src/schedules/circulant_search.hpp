// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pleat::detail {

/// The receive schedule of a rank by search, whatever the shape of the graph.
///
/// `skip` holds skip[0] … skip[q]. Writes for round
/// k = 0 … last into blocks[k] the index of the skip that is accepted: block number + q, or q for
/// the baseblock. Requires: last < q, rank < skip[q], baseblock that of the rank. Cost: O(log p).
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, Algorithms 4 and 5 (their recursion as a
/// loop, their list of skips as a bit set).
void search_receive_schedule(std::span<const std::uint32_t> skip, unsigned q, std::uint32_t rank,
                             unsigned baseblock, unsigned last, std::int8_t* blocks) noexcept;

}  // namespace pleat::detail
