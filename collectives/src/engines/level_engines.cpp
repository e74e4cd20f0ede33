// SPDX-License-Identifier: Apache-2.0
// Engines of ranks in several processes. What all ranks get travels from leader to leader along the
// circulant graph or the trees of the processes, and inside each all copy it from the leader's
// memory. For reductions and scans the leader of each process gets the sum of its ranks, by the
// engines for common memory; the leaders combine these sums; what comes out is handed to the ranks
// of each process.
//
// No sum depends on the costs by which an algorithm is chosen: where there are two, both combine in
// the same order.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "../schedule_engines/exclusive_round.hpp"
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
  task<> work = collected_combine(local, what, 0, in, out, bytes, {}, op, traffic);
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

/// Adds up what all ranks gave, `bytes` each, in the order of the ranks.
void add_up_in_order(std::byte* all, std::size_t bytes, std::byte* out, std::size_t ranks,
                     const combiner& op) {
  // Where the first part lies: `out` gets nothing but the result.
  for (std::size_t rank = 1; rank < ranks; ++rank) op(all, all, all + rank * bytes, bytes);
  std::memcpy(out, all, bytes);
}

/// Gives each leader the sum of all, in the order of the ranks: each gets a slice from all, adds
/// that up, and sends it to all.
task<> all_reduce_in_order(endpoint& leaders, const std::byte* in, std::byte* out, block_split data,
                           std::byte* room, combiner op, collective_traffic& traffic) {
  const std::size_t size = leaders.size();
  const std::size_t each = (data.count + size - 1) / size;  // elements of a slice
  const std::size_t first = std::min(data.count, leaders.rank() * each);
  const std::size_t own = std::min(data.count, first + each) - first;
  const std::size_t slice = each * data.element;
  std::byte* const whole_slices = room + size * slice;  // the last ones may be short
  std::memcpy(whole_slices, in, data.count * data.element);
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

/// Returns the bytes of `room` for what follows.
std::size_t room_for(const levels& in, const block_split& data, const combining& by) noexcept {
  if (by.gathered) return in.processes() * data.count * data.element;
  if (by.commutes) return 0;
  return 2 * (data.count + in.processes()) * data.element;  // whole slices
}

/// Gives each leader the sum of all. `out` is `in` or apart from it.
task<> all_reduce_of_leaders(endpoint& leaders, const std::byte* in, std::byte* out,
                             block_split data, combining by, std::byte* room,
                             collective_traffic& traffic) {
  task<> work = by.gathered
                    ? all_broadcast(leaders, in, room, {data.element, data.count}, 1, traffic)
                : by.commutes ? all_reduce_blocks(leaders, in, out, data, by.op, traffic, by.form)
                              : all_reduce_in_order(leaders, in, out, data, room, by.op, traffic);
  co_await work;
  if (!by.gathered) co_return;
  const std::size_t bytes = data.element * data.count;
  if (by.commutes)
    add_up_as_scheduled(leaders, room, bytes, out,
                        balanced_layout(data, leaders.size(), leaders.ends()), by.op);
  else
    add_up_in_order(room, bytes, out, leaders.size(), by.op);
  traffic.copies += leaders.size();
}

/// Computes in `sum` the sum of the leaders before this one, in their order; nothing at rank 0.
/// `room`: as much memory as `in`.
task<> exclusive_prefix(endpoint& on, const std::byte* in, std::byte* sum, std::byte* room,
                        std::size_t bytes, combiner op, collective_traffic& traffic) {
  for (exclusive_round round(on.rank(), on.size()); !round.is_past_last(); round.next()) {
    on.begin_round(traffic);
    if (round.sends()) {
      const std::byte* sent = round.sends_own() ? in : sum;
      if (round.adds_own()) {
        op(room, sum, in, bytes);
        sent = room;
        ++traffic.copies;
      }
      edge& to = on.to(round.to());
      co_await on.room(to);
      on.push(to, sent, bytes, copied_of(on, op));
    }
    if (round.receives()) {
      edge& from = on.from(round.from());
      co_await on.value(from);
      // The sum that we have lent must have been sent before it changes.
      while (on.is_lending()) co_await on.returned();
      on.take(from, bytes, [&](const std::byte* theirs) {
        if (round.is_first()) return receive(sum, theirs, bytes, traffic);
        op(sum, on.aligned(theirs, bytes, op.alignment), sum, bytes);
        count_received(traffic, bytes);
      });
    }
  }
  while (on.is_lending()) co_await on.returned();
}

}  // namespace

std::uint32_t processes_of(const endpoint& on) noexcept {
  return static_cast<std::uint32_t>(vp_access::space_of(on.me(), on.vp_of(on.size() - 1)) + 1 -
                                    vp_access::space_of(on.me(), on.vp_of(0)));
}

task<> broadcast_in_levels(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                           collective_traffic& traffic, schedule_form form) {
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
    task<> travels = broadcast_blocks(*leaders, source, data, blocks, traffic, form);
    co_await travels;
  }
  if (in.process() != source) {
    task<> sent = broadcast_in_process(in.local(), on, 0, data, bytes, traffic);
    co_await sent;
  }
}

task<> all_gather_in_levels(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                            std::size_t blocks, collective_traffic& traffic, schedule_form form) {
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
    task<> travels =
        all_broadcast(*leaders, ours, all, {parts.element, 0, ends}, blocks, traffic, form);
    co_await travels;
  }
  task<> sent = broadcast_in_process(local, on, 0, all, parts.total(on.size()), traffic);
  co_await sent;
}

task<> reduce_in_levels(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                        std::byte* out, block_split data, layout parts, combining by,
                        collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const bool to_all = what == ordered::all_reduce, scatters = what == ordered::reduce_scatter;
  const std::uint32_t process = levels.process_of(root), first = levels.first_of(levels.process());
  const std::size_t bytes = data.element * data.count;
  std::byte* here = out;  // sum of this process,
  std::byte* all = out;   // of all processes,
  std::byte* room = nullptr;
  if (leaders != nullptr) {
    here = on.scratch((to_all ? 0 : 2 * bytes) + room_for(levels, data, by));
    room = to_all ? here : here + 2 * bytes;
    if (scatters || (!to_all && on.rank() != root)) all = here + bytes;
    if (to_all) here = out;
  }
  task<> reduced = combine_in_process(local, on, ordered::reduce, in, here, bytes, by.op, traffic);
  co_await reduced;
  if (leaders != nullptr) {
    leaders->begin_part_of(on);
    const std::byte* const sum = local.size() == 1 ? in : here;
    const std::vector<std::size_t> ends =
        scatters ? ends_of_processes(parts, levels) : std::vector<std::size_t>{};
    task<> work =
        to_all || !by.commutes ? all_reduce_of_leaders(*leaders, sum, all, data, by, room, traffic)
        : scatters ? all_reduce_parts(*leaders, sum, all, {data.element, 0, ends}, data.blocks,
                                      by.op, true, traffic, by.form)
                   : reduce_blocks(*leaders, process, sum, all, data, by.op, traffic, by.form);
    co_await work;
  }
  if (to_all) {
    task<> sent = broadcast_in_process(local, on, 0, out, bytes, traffic);
    co_await sent;
    co_return;
  }
  if (!scatters && (levels.process() != process || root == first)) co_return;
  std::vector<std::size_t> ends(local.size(), 0);  // of the parts of this process
  if (scatters)
    ends = ends_of(parts, first, first + local.size());
  else
    std::fill(ends.begin() + (root - first), ends.end(), data.count);
  if (scatters && !by.commutes) all += parts.part(first).offset;
  task<> handed = hand_out(local, on, all, {data.element, 0, ends}, out, traffic);
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
