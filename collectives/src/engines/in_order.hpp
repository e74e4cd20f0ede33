// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pleat/collectives/detail/engines.hpp>

/// Combination in the order of the ranks, of data that one rank sees.
namespace pleat::detail {

/// Adds up the inputs of ranks 0 … last − 1, of `bytes` each, in what was gathered.
inline void add_up(const combiner& op, std::byte* out, std::byte* all, std::size_t bytes,
                   std::size_t last, collective_traffic& traffic) {
  if (last == 0 || bytes == 0) return;
  // Where the first part lies: `out` gets nothing but the result.
  for (std::size_t rank = 1; rank < last; ++rank) op(all, all, all + rank * bytes, bytes);
  std::memcpy(out, all, bytes);
  traffic.copies += last;
}

/// Combines in common memory in the order of the ranks, which is an order for operators that
/// commute, too.
inline task<> in_order(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                       std::byte* out, std::size_t bytes, const combiner& op,
                       collective_traffic& traffic, const layout& parts = {}) {
  return collects(on) ? collected_combine(on, what, root, in, out, bytes, parts, op, traffic)
                      : ordered_combine(on, what, root, in, out, bytes, parts, op, traffic);
}

}  // namespace pleat::detail
