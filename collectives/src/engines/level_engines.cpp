// SPDX-License-Identifier: Apache-2.0
// Engines of ranks in several processes. What all ranks get travels from leader to leader along the
// circulant graph or the trees of the processes, and inside each all copy it from the leader's
// memory. For reductions and scans the leader of each process gets the sum of its ranks, by the
// engines for common memory; the leaders combine these sums; what comes out is handed to the ranks
// of each process.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>

#include "../schedule_engines/exclusive_round.hpp"
#include "levels.hpp"
#include "received.hpp"
#include "running_sum.hpp"

namespace pleat::detail {

namespace {

/// Reduces the data of the ranks of this process to the leader, who gets the sums of their blocks.
/// One rank alone does nothing: its input is the sum.
task<> reduce_in_process(levels& in, const endpoint& whole, const std::byte* data, std::byte* sums,
                         std::size_t bytes, combiner op, collective_traffic& traffic) {
  endpoint& local = in.local();
  if (local.size() == 1) co_return;
  local.begin_part_of(whole);
  const place_among_ranks place{true, in.first_of(in.process())};
  task<> work =
      collected_combine(local, ordered::reduce, 0, data, sums, bytes, {}, op, traffic, place);
  co_await work;
}

/// Hands parts of what the leader has to the ranks of its process.
task<> hand_out(endpoint& local, const endpoint& whole, const std::byte* all, layout parts,
                std::byte* mine, collective_traffic& traffic) {
  local.begin_part_of(whole);
  task<> work = scatter_parts(local, 0, all, parts, mine, traffic);
  co_await work;
}

/// Sums of the blocks of some ranks, `stride` bytes apart.
struct block_sums {
  rank_range ranks;
  const std::byte* at;
  std::size_t stride;
};

/// Adds up a piece of such sums of ranks that follow each other, to one sum, or, with a stride, to
/// those of their blocks.
void add_up(endpoint& on, const combiner& op, std::span<const block_sums> all, piece p,
            std::byte* to, std::size_t stride = 0) {
  const room_for_sums room(on, op, p.bytes, {all.front().ranks.first, all.back().ranks.last});
  room.for_parts(p, [&](std::size_t at, std::size_t bytes) {
    running_sum sum(op, room, bytes);
    std::byte* const result = to + (at - p.offset);
    for (const block_sums& some : all) {
      const std::byte* next = some.at + at;
      for_blocks(some.ranks, op.commutes, [&](const rank_block& block) {
        sum.add(block, next, block.last == all.back().ranks.last ? result : nullptr);
        next += some.stride;
      });
    }
    stride == 0 ? sum.write(result) : sum.write_blocks(result, stride);
  });
}

/// Gives the leaders their slice of the sum of all ranks for reduce_scatter, else all of it, for
/// reduce to the root alone. Each adds up the sums of all blocks, or slices of them. `all` may be
/// `sums`, if that is one. `room`: for what arrives, and for all of its own.
task<> reduce_in_order(endpoint& leaders, const levels& in, ordered what, std::uint32_t root,
                       const std::byte* sums, std::byte* all, block_split data, layout slices,
                       combining by, std::byte* room, collective_traffic& traffic) {
  const std::size_t bytes = data.element * data.count, size = leaders.size();
  const piece slice = slices.part(leaders.rank());
  const std::size_t stride = by.gathered ? bytes : slice.bytes;
  const std::size_t own = blocks_in(in.ranks_of(in.process()), by.op.commutes);
  std::vector<std::size_t> sent, received;  // ends of parts
  std::vector<block_sums> of_all;
  std::size_t here = 0;
  for (std::uint32_t process = 0; process < size; ++process) {
    of_all.push_back({in.ranks_of(process), room + here * stride, stride});
    here += blocks_in(of_all.back().ranks, by.op.commutes);
    received.push_back(here * (stride / data.element));
    sent.push_back(own * (slices.first(process) + slices.count(process)));
  }
  traffic.copies += here;
  const layout arriving{data.element, 0, received};
  const bool scatters = what == ordered::reduce_scatter;
  if (by.gathered) {
    task<> gathered = all_broadcast(leaders, sums, room, arriving, 1, traffic, by.form);
    co_await gathered;
    if (what != ordered::reduce || leaders.rank() == root)
      add_up(leaders, by.op, of_all, scatters ? slice : piece{0, bytes}, all);
    co_return;
  }
  if (own != 1) {  // slices for a leader follow each other
    std::byte* packed = room + here * stride;
    for (std::size_t leader = 0; leader < size; ++leader)
      for (std::size_t i = 0; i < own; ++i, packed += slices.part(leader).bytes)
        if (const piece p = slices.part(leader); p.bytes != 0)
          std::memcpy(packed, sums + i * bytes + p.offset, p.bytes);
    sums = room + here * stride;
  }
  task<> exchanged =
      index_parts(leaders, sums, {data.element, 0, sent}, room, arriving, by.radix, 1, traffic);
  co_await exchanged;
  std::byte* const mine = scatters ? all : all + slice.offset;
  add_up(leaders, by.op, of_all, {0, slice.bytes}, mine);
  if (scatters) co_return;
  task<> spread = what == ordered::reduce
                      ? gather_parts(leaders, root, mine, all, slices, traffic)
                      : all_broadcast(leaders, mine, all, slices, 1, traffic, by.form);
  co_await spread;
}

/// Computes in `sum` the sums of the blocks of the ranks before this process, none at the first.
/// `sums`: those of its own ranks. `sum` and `room`: memory for those of any ranks; they may have
/// changed places afterwards.
task<> exclusive_prefix(endpoint& on, const levels& in, const std::byte* sums, std::byte*& sum,
                        std::byte*& room, std::size_t bytes, combiner op,
                        collective_traffic& traffic) {
  const rank_range own = in.ranks_of(in.process());
  rank_range known{own.first, own.first};
  const auto bytes_of = [&](rank_range ranks) { return blocks_in(ranks, op.commutes) * bytes; };
  for (exclusive_round round(on.rank(), on.size()); !round.is_past_last(); round.next()) {
    on.begin_round(traffic);
    if (round.sends()) {
      rank_range ranks = round.sends_own() ? own : known;
      const std::byte* sent = round.sends_own() ? sums : sum;
      if (round.adds_own()) {
        const block_sums both[] = {{known, sum, bytes}, {own, sums, bytes}};
        add_up(on, op, both, {0, bytes}, room, bytes);
        ranks.last = own.last;
        sent = room;
        ++traffic.copies;
      }
      edge& to = on.to(round.to());
      co_await on.room(to);
      on.push(to, sent, bytes_of(ranks), copied_of(on, op));
    }
    if (round.receives()) {
      edge& from = on.from(round.from());
      co_await on.value(from);
      // The sum that we have lent must have been sent before it changes.
      while (on.is_lending()) co_await on.returned();
      const rank_range theirs{in.first_of(round.first_known()), known.first};
      on.take(from, bytes_of(theirs), [&](const std::byte* before) {
        if (known.empty()) return receive(sum, before, bytes_of(theirs), traffic);
        const block_sums both[] = {
            {theirs, on.aligned(before, bytes_of(theirs), op.alignment), bytes},
            {known, sum, bytes}};
        add_up(on, op, both, {0, bytes}, room, bytes);
        std::swap(sum, room);
        count_received(traffic, bytes_of(theirs));
      });
      known.first = theirs.first;
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

std::size_t sums_of_processes(endpoint& on, const combiner& op) {
  const levels& in = on.in_levels();
  if (op.commutes || in.processes() == on.size()) return in.processes();
  std::size_t all = 0;
  for (std::uint32_t process = 0; process < in.processes(); ++process)
    all += blocks_in(in.ranks_of(process), false);
  return all;
}

task<> reduce_in_levels(endpoint& on, ordered what, std::uint32_t root, const std::byte* in,
                        std::byte* out, block_split data, layout parts, combining by,
                        collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const bool to_all = what == ordered::all_reduce, scatters = what == ordered::reduce_scatter;
  const bool in_order = !by.op.commutes || (to_all && by.gathered);
  const std::uint32_t process = levels.process_of(root), first = levels.first_of(levels.process());
  const std::size_t bytes = data.element * data.count;
  const std::size_t sums = blocks_in(levels.ranks_of(levels.process()), by.op.commutes);
  std::byte* here = out;  // sums of this process,
  std::byte* all = out;   // the sum of all processes,
  std::byte* room = nullptr;
  std::vector<std::size_t> ends;
  layout slices{};
  if (leaders != nullptr) {
    if (scatters) ends = ends_of_processes(parts, levels);
    slices = scatters ? layout{data.element, 0, ends}
                      : balanced_layout(data, leaders->size(), leaders->ends());
    const std::size_t each = by.gathered ? bytes : slices.part(leaders->rank()).bytes;
    const std::size_t of_all = in_order ? sums_of_processes(on, by.op) * each + sums * bytes : 0;
    here = on.scratch((sums + 1) * bytes + of_all);
    room = here + (sums + 1) * bytes;
    if (!to_all && (scatters || on.rank() != root)) all = here + sums * bytes;
    if (to_all && sums == 1) here = out;
  }
  task<> reduced = reduce_in_process(levels, on, in, here, bytes, by.op, traffic);
  co_await reduced;
  if (leaders != nullptr) {
    leaders->begin_part_of(on);
    const std::byte* const sum = local.size() == 1 ? in : here;
    task<> work = in_order ? reduce_in_order(*leaders, levels, what, process, sum, all, data,
                                             slices, by, room, traffic)
                  : to_all ? all_reduce_blocks(*leaders, sum, all, data, by.op, traffic, by.form)
                  : scatters
                      ? all_reduce_parts(*leaders, sum, all, slices, data.blocks, by.op, true,
                                         traffic, by.form)
                      : reduce_blocks(*leaders, process, sum, all, data, by.op, traffic, by.form);
    co_await work;
  }
  if (to_all) {
    task<> sent = broadcast_in_process(local, on, 0, out, bytes, traffic);
    co_await sent;
    co_return;
  }
  if (!scatters && (levels.process() != process || root == first)) co_return;
  if (scatters) {  // the parts of this process
    ends = ends_of(parts, first, first + local.size());
  } else {
    ends.assign(local.size(), 0);
    std::fill(ends.begin() + (root - first), ends.end(), data.count);
  }
  task<> handed = hand_out(local, on, all, {data.element, 0, ends}, out, traffic);
  co_await handed;
}

task<> scan_in_levels(endpoint& on, const std::byte* in, std::byte* out, std::size_t bytes,
                      bool exclusive, combiner op, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  endpoint* const leaders = levels.leaders();
  const rank_range own = levels.ranks_of(levels.process());
  const std::size_t sums = blocks_in(own, op.commutes);
  std::size_t most = own.first == 0 ? 0 : 1;  // sums of the ranks before it
  if (most != 0 && !op.commutes)
    most = std::min(own.last, 2 * static_cast<std::size_t>(std::bit_width(own.last)));
  std::byte* here = out;        // sums of this process,
  std::byte* before = nullptr;  // and of the ranks before it
  if (leaders != nullptr) here = on.scratch((sums + 2 * most) * bytes);
  if (own.last != on.size()) {  // else nobody needs the former
    task<> reduced = reduce_in_process(levels, on, in, here, bytes, op, traffic);
    co_await reduced;
  }
  if (leaders != nullptr) {
    before = here + sums * bytes;
    std::byte* room = before + most * bytes;
    leaders->begin_part_of(on);
    task<> work = exclusive_prefix(*leaders, levels, local.size() == 1 ? in : here, before, room,
                                   bytes, op, traffic);
    co_await work;
  }
  local.begin_part_of(on);
  const place_among_ranks place{true, static_cast<std::uint32_t>(own.first), before};
  task<> scanned = collected_combine(local, exclusive ? ordered::exclusive_scan : ordered::scan, 0,
                                     in, out, bytes, {}, op, traffic, place);
  co_await scanned;
}

}  // namespace pleat::detail
