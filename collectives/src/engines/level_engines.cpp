// SPDX-License-Identifier: Apache-2.0
// Engines for what all ranks get, where several of them share a process: it travels from leader to
// leader along the circulant graph of the processes, and inside each all copy it from the leader's
// memory.
#include <cstddef>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "levels.hpp"

namespace pleat::detail {

std::uint32_t processes_of(const endpoint& on) noexcept {
  return static_cast<std::uint32_t>(vp_access::space_of(on.me(), on.vp_of(on.size() - 1)) + 1 -
                                    vp_access::space_of(on.me(), on.vp_of(0)));
}

task<> broadcast_in_levels(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                           collective_traffic& traffic) {
  levels& in = on.in_levels();
  const std::uint32_t source = in.process_of(root);
  const std::size_t bytes = blocks.element * blocks.count;
  if (in.process() == source) {
    task<> sent =
        broadcast_in_process(in.local(), on, root - in.first_of(source), data, bytes, traffic);
    co_await sent;
  }
  if (endpoint* const leaders = in.leaders(); leaders != nullptr) {
    leaders->begin_part_of(on);
    task<> travels = broadcast_blocks(*leaders, source, data, blocks, traffic);
    co_await travels;
  }
  if (in.process() != source) {
    task<> sent = broadcast_in_process(in.local(), on, 0, data, bytes, traffic);
    co_await sent;
  }
}

task<> all_gather_in_levels(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            std::size_t blocks, collective_traffic& traffic) {
  levels& in = on.in_levels();
  endpoint& local = in.local();
  const std::uint32_t first = in.first_of(in.process());
  const std::vector<std::size_t> ends_here = ends_of(parts, first, first + local.size());
  std::byte* const ours = all + parts.part(first).offset;
  local.begin_part_of(on);
  task<> gathered = gather_parts(local, 0, mine, ours, {parts.element, 0, ends_here}, traffic);
  co_await gathered;
  if (endpoint* const leaders = in.leaders(); leaders != nullptr) {
    const std::vector<std::size_t> ends = ends_of_processes(parts, in);
    leaders->begin_part_of(on);
    task<> travels = all_broadcast(*leaders, ours, all, {parts.element, 0, ends}, blocks, traffic);
    co_await travels;
  }
  task<> sent = broadcast_in_process(local, on, 0, all, parts.total(on.size()), traffic);
  co_await sent;
}

}  // namespace pleat::detail
