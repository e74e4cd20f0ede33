// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"

/// Parts that reductions and scans have in common.
namespace pleat::detail {

/// Gathers the inputs of all ranks on each, part r from rank r, and calls `use` with them.
template <class Use>
task<> gather_and(endpoint& on, const_elements in, Use use, collective_traffic& traffic) {
  const layout parts{in.size, in.count};
  std::byte* const all = on.scratch(parts.total(on.size()));
  task<> sent = all_broadcast(on, in.data, all, parts, 1, traffic);
  co_await sent;
  use(all);
}

/// The sum of ranks first … last − 1 of what was gathered.
inline void add_up(const combiner& op, std::byte* out, std::byte* all, std::size_t bytes,
                   std::size_t last, collective_traffic& traffic) {
  if (last == 0 || bytes == 0) return;
  // Where the first part lies: `out` gets nothing but the result.
  for (std::size_t rank = 1; rank < last; ++rank) op(all, all, all + rank * bytes, bytes);
  std::memcpy(out, all, bytes);
  traffic.copies += last;
}

inline void check_same_count(std::string_view operation, const_elements in, elements out) {
  check_count(operation, "the output", out.count, in.count);
  check_apart(operation, in.data, in.bytes(), out.data, out.bytes(), out.data);
}

/// Combines in common memory in the order of the ranks, which is an order for operators that
/// commute, too.
inline task<> in_order(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                       std::byte* out, std::size_t bytes, const combiner& op,
                       collective_traffic& traffic, const layout& parts = {}) {
  return collects(on) ? collected_combine(on, what, root, in, out, bytes, parts, op, traffic)
                      : ordered_combine(on, what, root, in, out, bytes, parts, op, traffic);
}

inline call_arguments arguments_of(const_elements in, const reduction& by,
                                   const collective_options& options, std::size_t root = 0) {
  return call_arguments{
      .count = in.count, .root = root, .blocks = options.blocks, .in_order = !by.commutes}
      .reads(in);
}

}  // namespace pleat::detail
