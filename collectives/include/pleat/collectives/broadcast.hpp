// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// The root's `data` to all: `co_await pleat::broadcast(me, std::span(x), {.root = 3});`
/// What all operations have in common: collective_options.hpp.
///
/// Cost: n − 1 + ⌈log2 p⌉ rounds along a circulant graph, which is the least for any p and n; one
/// copy of each block a rank. collective_options::blocks is n. Of two ranks both copy a half of
/// what is large, in one round. Throws: usage_error for a root or segment there is not, and if
/// ranks give different sizes.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, Algorithm 1.
template <detail::elements_to_write Data>
task<> broadcast(vp& me, Data&& data, collective_options options = {}) {
  return detail::run_broadcast(me, detail::writable(data), options);
}

}  // namespace pleat
