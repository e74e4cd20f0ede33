// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "levels.hpp"

/// Parts that engines in levels have in common.
namespace pleat::detail {

/// Sends from a rank of this process to the others.
inline task<> broadcast_in_process(endpoint& local, const endpoint& whole, std::uint32_t from,
                                   std::byte* data, std::size_t bytes,
                                   collective_traffic& traffic) {
  if (local.size() == 1) co_return;
  local.begin_part_of(whole);
  task<> sent = collected_broadcast(local, from, data, bytes, traffic);
  co_await sent;
}

/// Ends of the parts of some ranks, behind the first of them.
inline std::vector<std::size_t> ends_of(const layout& parts, std::uint32_t first,
                                        std::uint32_t last) {
  std::vector<std::size_t> ends;
  ends.reserve(last - first);
  for (std::uint32_t rank = first; rank < last; ++rank)
    ends.push_back(parts.first(rank) + parts.count(rank) - parts.first(first));
  return ends;
}

/// Ends of the parts of each process's ranks.
inline std::vector<std::size_t> ends_of_processes(const layout& parts, const levels& in) {
  std::vector<std::size_t> ends;
  ends.reserve(in.processes());
  for (std::uint32_t process = 0; process < in.processes(); ++process) {
    const std::uint32_t last = in.first_of(process + 1) - 1;
    ends.push_back(parts.first(last) + parts.count(last));
  }
  return ends;
}
/// Longest part of a process, in elements.
inline std::size_t longest_of_processes(const layout& parts, const levels& in) {
  return layout{parts.element, 0, ends_of_processes(parts, in)}.longest(in.processes());
}

}  // namespace pleat::detail
