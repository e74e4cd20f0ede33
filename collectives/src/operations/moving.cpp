// SPDX-License-Identifier: Apache-2.0
// Operations that move data: their arguments are checked, an engine is chosen and carried out.
#include <algorithm>
#include <string>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "../engines/levels.hpp"
#include "agreement.hpp"
#include "checks.hpp"
#include "choice.hpp"

namespace pleat::detail {

namespace {

const_elements readable(elements data) { return {data.data, data.count, data.size}; }

/// Copies input that others are to read while we write there, if the operation is in place.
const std::byte* readable_source(endpoint& on, const_elements in, const elements& out,
                                 collective_traffic& traffic) {
  if (in.data != out.data || in.bytes() == 0) return in.data;
  std::byte* const kept = on.scratch(in.bytes());
  copy(kept, in.data, in.bytes(), traffic);
  return kept;
}

}  // namespace

task<> run_broadcast(vp& me, elements data, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t root = checked_root("broadcast", on, options);
  const schedule_form asked = checked_form("broadcast", options);
  if (on.size() == 1) co_return;
  if (on.strict()) {
    const call_arguments given{
        .count = data.count, .root = root, .blocks = options.blocks, .form = asked};
    task<> agreed = agree(on, collective::broadcast,
                          on.rank() == root ? given.reads(readable(data)) : given.writes(data));
    co_await agreed;
  }
  const engine by = engine_for(collective::broadcast, on, options.blocks != 0);
  const schedule_form form = form_of(by, asked, on, options, [] { return false; });
  const std::size_t blocks = by == engine::rendezvous ? 0
                             : form.has_trees()
                                 ? 1
                                 : blocks_between_processes("broadcast", on, data.count, data.size,
                                                            options, cost_of(on, options));
  on.begin(collective::broadcast, digest(root, form.digest(blocks), by), data.size);
  const block_split split{data.size, data.count, blocks};
  task<> work = by == engine::rendezvous
                    ? collected_broadcast(on, root, data.data, data.bytes(), counted.traffic)
                : by == engine::circulant
                    ? broadcast_blocks(on, root, data.data, split, counted.traffic)
                    : broadcast_in_levels(on, root, data.data, split, counted.traffic, form);
  co_await work;
}

task<> run_rooted(vp& me, bool gathers, const_elements in, elements out, collective_options options,
                  std::optional<counts> of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const collective operation = gathers    ? of_ranks ? collective::gather_v : collective::gather
                               : of_ranks ? collective::scatter_v
                                          : collective::scatter;
  const std::string_view name = name_of(operation);
  const const_elements written{out.data, out.count, out.size};
  const const_elements mine = gathers ? in : written, all = gathers ? written : in;
  const layout parts = of_ranks ? parts_of(name, *of_ranks, in.size, on, on.ends())
                                : same_parts_of(name, mine.count, in.size, on);
  const std::uint32_t root = checked_root(name, on, options);
  const bool at_root = on.rank() == root;
  check_count(name, gathers ? "the input" : "the output", mine.count, parts.count(on.rank()));
  if (at_root) {
    check_count(name, gathers ? "the root's output" : "the root's input", all.count,
                parts.total(on.size()) / in.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    call_arguments given{.parts = digest(parts), .root = root};
    if (parts.ends.empty()) given.count = parts.each;
    if (gathers || at_root) given = given.reads(in);
    if (!gathers || at_root) given = given.writes(out);
    task<> agreed = agree(on, operation, given);
    co_await agreed;
  }
  on.begin(operation, digest(digest(parts), root), in.size);
  task<> work = gathers ? gather_parts(on, root, in.data, out.data, parts, counted.traffic)
                        : scatter_parts(on, root, in.data, parts, out.data, counted.traffic);
  co_await work;
}

task<> run_all_gather(vp& me, const_elements mine, elements all, collective_options options,
                      std::optional<counts> of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const collective operation = of_ranks ? collective::all_gather_v : collective::all_gather;
  const std::string_view name = name_of(operation);
  const layout parts = of_ranks ? parts_of(name, *of_ranks, all.size, on, on.ends())
                                : same_parts_of(name, mine.count, all.size, on);
  const std::size_t bytes = parts.total(on.size());
  check_count(name, "the input", mine.count, parts.count(on.rank()));
  check_count(name, "the output", all.count, bytes / all.size);
  if (options.ports == 0)
    refuse(name, "0 ports send nothing; give 1 or more in collective_options::ports");
  const schedule_form asked = checked_form(name, options);
  if (options.ports > 1 && asked.has_trees())
    refuse(name, "trees have one port; leave out collective_options::ports, or schedule");
  check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  if (on.strict()) {
    call_arguments given{
        .parts = digest(parts), .blocks = options.blocks, .ports = options.ports, .form = asked};
    if (parts.ends.empty()) given.count = parts.each;
    task<> agreed = agree(on, operation, given.reads(mine).writes(all));
    co_await agreed;
  }
  if (on.size() == 1) {
    copy(all.data, mine.data, bytes, counted.traffic);
    co_return;
  }
  const engine by = engine_for(operation, on, options.blocks != 0, options.ports > 1 && bytes != 0);
  const auto longest = [&] { return longest_of_processes(parts, on.in_levels()); };
  const schedule_form form = form_of(
      by, asked, on, options, [&] { return longest() * all.size * processes_of(on) == bytes; });
  std::size_t blocks = form.has_trees() ? 1 : 0;
  if (!form.has_trees() && (by == engine::circulant || by == engine::levels))
    blocks = blocks_between_processes(name, on, by == engine::levels ? longest() : 0, all.size,
                                      options, cost_of(on, options));
  on.begin(
      operation,
      digest(digest(parts), form.digest(by == engine::concatenation ? options.ports : blocks), by),
      all.size);
  if (by == engine::concatenation)
    copy(all.data + parts.part(on.rank()).offset, mine.data, mine.bytes(), counted.traffic);
  task<> work =
      by == engine::rendezvous
          ? collected_all_gather(on, mine.data, all.data, parts, counted.traffic)
      : by == engine::concatenation
          ? concatenate(on, all.data, parts, options.ports, counted.traffic)
      : by == engine::circulant
          ? all_broadcast(on, mine.data, all.data, parts, blocks, counted.traffic)
          : all_gather_in_levels(on, mine.data, all.data, parts, blocks, counted.traffic, form);
  co_await work;
}

task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options,
                      std::optional<counts> sent, std::optional<counts> received) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t size = on.size();
  const bool equal = !sent;
  const collective operation = equal ? collective::all_to_all : collective::all_to_all_v;
  const std::string_view name = name_of(operation);
  std::vector<std::size_t> ends_in, ends_out;
  layout from, to;
  if (equal) {
    check_count(name, "the output", out.count, in.count);
    from = to = equal_parts_of(name, in.count, in.size, on);
  } else {
    from = parts_of(name, *sent, in.size, on, ends_in);
    to = parts_of(name, *received, out.size, on, ends_out);
    check_count(name, "the input", in.count, from.ends.back());
    check_count(name, "the output", out.count, to.ends.back());
    check_count(name, "what a rank receives from itself", to.count(on.rank()),
                from.count(on.rank()));
  }
  check_apart(name, in.data, in.bytes(), out.data, out.bytes(), out.data);
  if (options.ports == 0)
    refuse(name, "0 ports send nothing; give 1 or more in collective_options::ports");
  if (options.radix != 0 && (options.radix < 2 || options.radix > std::max(2u, size)))
    refuse(name, "a radix of " + std::to_string(options.radix) + " makes no sense for " +
                     std::to_string(size) + " ranks; give one from 2 to their number");
  if (on.strict()) {
    const call_arguments given{
        .count = equal ? in.count : 0, .radix = options.radix, .ports = options.ports};
    task<> agreed = agree(on, operation, given.reads(in).writes(out));
    co_await agreed;
  }
  if (equal && in.bytes() == 0) co_return;
  if (size == 1) {
    copy(out.data, in.data, in.bytes(), counted.traffic);
    co_return;
  }
  const engine by = engine_for(operation, on, false, options.radix != 0 && options.radix < size);
  // Ranks that are processes of their own and know all sizes need not tell them.
  const bool by_index = by == engine::index || (equal && by == engine::levels && !has_levels(on));
  const std::size_t bytes = in.bytes() / size;
  const message_cost cost = cost_of(on, options);
  unsigned radix = options.radix;
  if (by_index && radix == 0)  // rings between all of many ranks would take too much memory
    radix = size > 256 ? 16 : cheapest_radix(size, options.ports, bytes, cost, 1);
  on.begin(operation, digest(options.ports, radix, by), in.size);
  const std::byte* const source = readable_source(on, in, out, counted.traffic);
  task<> work =
      by == engine::rendezvous ? collected_exchange(on, source, from, out.data, to, counted.traffic)
      : by_index
          ? index_parts(on, source, from, out.data, to, radix, options.ports, counted.traffic)
          : exchange_in_levels(on, source, from, out.data, to, {options.radix, options.ports, cost},
                               counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
