// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of ranks in several processes. In each process the leader gets the sum of
// its ranks, by the engines for common memory; the leaders combine these sums; what comes out is
// handed to the ranks of each process.
//
// No sum depends on the costs by which an algorithm is chosen: where there are two, both combine in
// the same order.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "in_order.hpp"
#include "level_parts.hpp"
#include "levels.hpp"
#include "received.hpp"

namespace pleat::detail {

namespace {

/// Combines the data of the ranks of this process, as `what` says, in the order of the ranks. A
/// reduction is to the leader. One rank alone does nothing: its input is the sum.
task<> combine_in_process(endpoint& local, const endpoint& whole, ordered what, const std::byte* in,
                          std::byte* out, std::size_t bytes, combiner op,
                          collective_traffic& traffic) {
  if (local.size() == 1) co_return;
  local.begin_part_of(whole);
  task<> work = in_order(local, what, 0, in, out, bytes, op, traffic);
  co_await work;
}

/// Hands parts of what the leader has to the ranks of its process.
task<> hand_out(endpoint& local, const endpoint& whole, const std::byte* all, layout parts,
                std::byte* mine, collective_traffic& traffic) {
  local.begin_part_of(whole);
  task<> work = scatter_parts(local, 0, all, parts, mine, traffic);
  co_await work;
}

/// Adds up what all ranks gave, `bytes` each, in the order in which all_reduce_parts with one block
/// does: for each part up the tree that its broadcast goes down.
void add_up_as_scheduled(endpoint& on, std::byte* all, std::size_t bytes, std::byte* out,
                         const layout& parts, const combiner& op) {
  const circulant_rounds rounds(on.graph(), 1);
  const std::uint32_t size = on.size();
  for (std::uint32_t root = 0; root < size; ++root) {
    const piece p = parts.part(root);
    const auto of = [&](std::uint32_t rank) { return all + rank * bytes + p.offset; };
    for (std::size_t round = rounds.size(); round-- > 0;) {
      const unsigned k = rounds.skip_index(round);
      const std::span<const std::int8_t> received = on.table().received(k);
      for (std::uint32_t relative = 1; relative < size; ++relative) {
        if (rounds.block(received[relative], round) == circulant_step::none) continue;
        const std::uint32_t rank = (root + relative) % size;
        std::byte* const sum = of(on.graph().from(rank, k));
        op(sum, sum, of(rank), p.bytes);
      }
    }
    std::memcpy(out + p.offset, of(root), p.bytes);
  }
}

/// Gathers the sums of all processes at each leader.
task<> gather_sums(endpoint& leaders, const std::byte* in, std::byte* all, layout parts,
                   collective_traffic& traffic) {
  return leaders.size() == 2 ? swap_parts(leaders, in, all, parts, traffic)
                             : all_broadcast(leaders, in, all, parts, 1, traffic);
}

/// Gives each leader the sum of all, in the order of the schedule. `out` is `in` or apart from it.
task<> all_reduce_by_schedule(endpoint& leaders, const std::byte* in, std::byte* out,
                              block_split data, bool gathered, std::byte* room, combiner op,
                              collective_traffic& traffic) {
  const std::size_t bytes = data.element * data.count;
  const layout parts = balanced_layout(data, leaders.size(), leaders.ends());
  if (gathered) {
    task<> sent = gather_sums(leaders, in, room, {data.element, data.count}, traffic);
    co_await sent;
    add_up_as_scheduled(leaders, room, bytes, out, parts, op);
    traffic.copies += leaders.size();
    co_return;
  }
  std::byte* const mine = out + parts.part(leaders.rank()).offset;
  task<> reduced = all_reduce_parts(leaders, in, mine, parts, data.blocks, op, true, traffic);
  co_await reduced;
  task<> sent = all_broadcast(leaders, mine, out, parts, data.blocks, traffic);
  co_await sent;
}

/// Gives each leader the sum of all, in the order of the ranks. Small data is gathered; of other
/// data each leader gets a slice from all, adds that up, and sends it to all.
task<> all_reduce_in_order(endpoint& leaders, const std::byte* in, std::byte* out, block_split data,
                           bool gathered, std::byte* room, combiner op,
                           collective_traffic& traffic) {
  const std::size_t size = leaders.size(), bytes = data.element * data.count;
  const std::size_t each = (data.count + size - 1) / size;  // elements of a slice
  const std::size_t first = std::min(data.count, leaders.rank() * each);
  const std::size_t own = std::min(data.count, first + each) - first;
  if (gathered) {
    task<> sent = gather_sums(leaders, in, room, {data.element, data.count}, traffic);
    co_await sent;
    add_up(op, out, room, bytes, size, traffic);
    co_return;
  }
  const std::size_t slice = each * data.element;
  std::byte* const whole_slices = room + size * slice;  // the last ones may be short
  std::memcpy(whole_slices, in, bytes);
  task<> exchanged = index_blocks(leaders, whole_slices, room, slice, 2, 1, traffic);
  co_await exchanged;
  for (std::size_t rank = 1; rank < size; ++rank)
    op(room, room, room + rank * slice, own * data.element);
  traffic.copies += size;
  std::vector<std::size_t>& ends = leaders.ends();
  ends.clear();
  for (std::size_t rank = 1; rank <= size; ++rank)
    ends.push_back(std::min(data.count, rank * each));
  task<> sent = all_broadcast(leaders, room, out, {data.element, 0, ends}, 1, traffic);
  co_await sent;
}

/// Returns the bytes of `room` for these two.
std::size_t room_for(const levels& in, const block_split& data, const combining& by) noexcept {
  if (by.gathered) return in.processes() * data.count * data.element;
  if (by.commutes) return 0;
  return 2 * (data.count + in.processes()) * data.element;  // whole slices
}

task<> all_reduce_of_leaders(endpoint& leaders, const std::byte* in, std::byte* out,
                             block_split data, const combining& by, std::byte* room,
                             collective_traffic& traffic) {
  return by.commutes
             ? all_reduce_by_schedule(leaders, in, out, data, by.gathered, room, by.op, traffic)
             : all_reduce_in_order(leaders, in, out, data, by.gathered, room, by.op, traffic);
}

}  // namespace

task<> all_reduce_in_levels(endpoint& on, const std::byte* in, std::byte* out, block_split data,
                            combining by, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  const std::size_t bytes = data.element * data.count;
  task<> reduced = combine_in_process(local, on, ordered::reduce, in, out, bytes, by.op, traffic);
  co_await reduced;
  if (endpoint* const leaders = levels.leaders(); leaders != nullptr) {
    leaders->begin_part_of(on);
    std::byte* const room = on.scratch(room_for(levels, data, by));
    const std::byte* const sum = local.size() == 1 ? in : out;
    task<> work = all_reduce_of_leaders(*leaders, sum, out, data, by, room, traffic);
    co_await work;
  }
  task<> sent = broadcast_in_process(local, on, 0, out, bytes, traffic);
  co_await sent;
}

task<> reduce_in_levels(endpoint& on, std::uint32_t root, const std::byte* in, std::byte* out,
                        block_split data, combining by, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const std::uint32_t process = levels.process_of(root), leader = levels.first_of(process);
  const std::size_t bytes = data.element * data.count;
  std::byte* const here =  // sum of this process, of all processes, and room for the latter
      leaders == nullptr ? out : on.scratch(2 * bytes + room_for(levels, data, by));
  task<> reduced = combine_in_process(local, on, ordered::reduce, in, here, bytes, by.op, traffic);
  co_await reduced;
  std::byte* const all = on.rank() == root || leaders == nullptr ? out : here + bytes;
  if (leaders != nullptr) {
    leaders->begin_part_of(on);
    const std::byte* const sum = local.size() == 1 ? in : here;
    std::byte* const room = here + 2 * bytes;
    task<> work = by.commutes ? reduce_blocks(*leaders, process, sum, all, data, by.op, traffic)
                              : all_reduce_of_leaders(*leaders, sum, all, data, by, room, traffic);
    co_await work;
  }
  if (levels.process() != process || root == leader) co_return;
  std::vector<std::size_t> ends(local.size(), 0);
  std::fill(ends.begin() + (root - leader), ends.end(), data.count);
  task<> handed = hand_out(local, on, all, {data.element, 0, ends}, out, traffic);
  co_await handed;
}

task<> reduce_scatter_in_levels(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                                std::size_t blocks, combining by, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const std::uint32_t first = levels.first_of(levels.process());
  const std::size_t bytes = parts.total(on.size());
  const block_split data{parts.element, bytes / parts.element, 1};
  std::byte* const here =  // sum of this process, of all processes, and room for the latter
      leaders == nullptr ? out : on.scratch(2 * bytes + room_for(levels, data, by));
  task<> reduced = combine_in_process(local, on, ordered::reduce, in, here, bytes, by.op, traffic);
  co_await reduced;
  const std::byte* ours = nullptr;  // parts of this process, at the leader
  if (leaders != nullptr) {
    leaders->begin_part_of(on);
    const std::byte* const sum = local.size() == 1 ? in : here;
    std::byte* const all = here + bytes;
    const std::vector<std::size_t> ends = ends_of_processes(parts, levels);
    task<> work = by.commutes ? all_reduce_parts(*leaders, sum, all, {parts.element, 0, ends},
                                                 blocks, by.op, true, traffic)
                              : all_reduce_of_leaders(*leaders, sum, all, data, by,
                                                      here + 2 * bytes, traffic);
    co_await work;
    ours = by.commutes ? all : all + parts.part(first).offset;
  }
  const std::vector<std::size_t> ends_here = ends_of(parts, first, first + local.size());
  task<> handed = hand_out(local, on, ours, {parts.element, 0, ends_here}, out, traffic);
  co_await handed;
}

task<> scan_in_levels(endpoint& on, const std::byte* in, std::byte* out, std::size_t bytes,
                      bool exclusive, combiner op, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const bool first = levels.process() == 0, last = levels.process() + 1 == levels.processes();
  std::byte* const here =  // sum of this process, of those before it, and room
      leaders == nullptr ? out : on.scratch(3 * bytes);
  if (!last) {  // whose sum nobody needs
    task<> reduced = combine_in_process(local, on, ordered::reduce, in, here, bytes, op, traffic);
    co_await reduced;
  }
  const std::byte* own = in;  // of the leader: its input with what comes before it
  if (leaders != nullptr) {
    leaders->begin_part_of(on);
    std::byte* const before = here + bytes;
    task<> work = exclusive_prefix(*leaders, local.size() == 1 ? in : here, before, before + bytes,
                                   bytes, op, traffic);
    co_await work;
    if (!first && (local.size() > 1 || !exclusive)) {
      op(here, before, in, bytes);
      own = here;
    }
    if (!first && exclusive) std::memcpy(out, before, bytes);
    if (local.size() == 1 && !exclusive) copy(out, own, bytes, traffic);
  }
  task<> scanned = combine_in_process(
      local, on, exclusive ? ordered::exclusive_scan : ordered::scan, own, out, bytes, op, traffic);
  co_await scanned;
}

}  // namespace pleat::detail
