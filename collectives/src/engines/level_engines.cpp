// SPDX-License-Identifier: Apache-2.0
// Engines for what all ranks get, where several of them share a process: it travels from leader to
// leader along the circulant graph of the processes, and inside each all copy it from the leader's
// memory.
#include <cstddef>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "levels.hpp"

namespace pleat::detail {

namespace {

/// Sends from a rank of this process to the others.
task<> tell_beside(endpoint& near, const endpoint& whole, std::uint32_t from, std::byte* data,
                   std::size_t bytes, collective_traffic& traffic) {
  if (near.size() == 1) co_return;
  near.begin_part_of(whole);
  task<> told = collected_broadcast(near, from, data, bytes, traffic);
  co_await told;
}

/// Ends of the parts of some ranks, behind the first of them.
std::vector<std::size_t> ends_of(const layout& parts, std::uint32_t first, std::uint32_t last) {
  std::vector<std::size_t> ends;
  ends.reserve(last - first);
  for (std::uint32_t rank = first; rank < last; ++rank)
    ends.push_back(parts.first(rank) + parts.count(rank) - parts.first(first));
  return ends;
}

/// Ends of the parts of each process's ranks.
std::vector<std::size_t> ends_of_processes(const layout& parts, const levels& in) {
  std::vector<std::size_t> ends;
  ends.reserve(in.processes());
  for (std::uint32_t process = 0; process < in.processes(); ++process) {
    const std::uint32_t last = in.first_of(process + 1) - 1;
    ends.push_back(parts.first(last) + parts.count(last));
  }
  return ends;
}

}  // namespace

std::uint32_t processes_of(const endpoint& on) noexcept {
  return static_cast<std::uint32_t>(vp_access::process_of(on.me(), on.vp_of(on.size() - 1)) + 1 -
                                    vp_access::process_of(on.me(), on.vp_of(0)));
}

task<> broadcast_in_levels(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                           collective_traffic& traffic) {
  levels& in = on.in_levels();
  const std::uint32_t source = in.process_of(root);
  const std::size_t bytes = blocks.element * blocks.count;
  if (in.process() == source) {
    task<> told = tell_beside(in.near(), on, root - in.first_of(source), data, bytes, traffic);
    co_await told;
  }
  if (endpoint* const leaders = in.leaders(); leaders != nullptr) {
    leaders->begin_part_of(on);
    task<> travels = broadcast_blocks(*leaders, source, data, blocks, traffic);
    co_await travels;
  }
  if (in.process() != source) {
    task<> told = tell_beside(in.near(), on, 0, data, bytes, traffic);
    co_await told;
  }
}

task<> all_gather_in_levels(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            std::size_t blocks, collective_traffic& traffic) {
  levels& in = on.in_levels();
  endpoint& near = in.near();
  const std::uint32_t first = in.first_of(in.process());
  const std::vector<std::size_t> ends_beside = ends_of(parts, first, first + near.size());
  std::byte* const ours = all + parts.part(first).offset;
  near.begin_part_of(on);
  task<> gathered = gather_parts(near, 0, mine, ours, {parts.element, 0, ends_beside}, traffic);
  co_await gathered;
  if (endpoint* const leaders = in.leaders(); leaders != nullptr) {
    const std::vector<std::size_t> ends = ends_of_processes(parts, in);
    leaders->begin_part_of(on);
    task<> travels = all_broadcast(*leaders, ours, all, {parts.element, 0, ends}, blocks, traffic);
    co_await travels;
  }
  task<> told = tell_beside(near, on, 0, all, parts.total(on.size()), traffic);
  co_await told;
}

}  // namespace pleat::detail
