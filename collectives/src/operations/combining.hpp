// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "../engines/in_order.hpp"
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

inline void check_same_count(std::string_view operation, const_elements in, elements out) {
  check_count(operation, "the output", out.count, in.count);
  check_apart(operation, in.data, in.bytes(), out.data, out.bytes(), out.data);
}

inline call_arguments arguments_of(const_elements in, const reduction& by,
                                   const collective_options& options, std::size_t root = 0) {
  return call_arguments{
      .count = in.count, .root = root, .blocks = options.blocks, .in_order = !by.commutes}
      .reads(in);
}

}  // namespace pleat::detail
