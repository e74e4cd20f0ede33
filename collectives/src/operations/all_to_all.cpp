// SPDX-License-Identifier: Apache-2.0
// Operations that move data and do not change it.
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/index_schedule.hpp>

#include "agreement.hpp"
#include "checks.hpp"
#include "choices.hpp"
#include "counting.hpp"

namespace pleat::detail {

namespace {

const_elements readable(elements data) { return {data.data, data.count, data.size}; }

task<> all_gather_parts(endpoint& on, collective operation, const_elements mine, elements all,
                        layout parts, const collective_options& options,
                        collective_traffic& traffic) {
  if (options.ports == 0)
    refuse(name_of(operation), "0 ports send nothing; give 1 or more in collective_options::ports");
  check_apart(name_of(operation), mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  if (on.strict()) {
    claim said{.parts = choices(parts), .blocks = options.blocks, .ports = options.ports};
    if (parts.ends.empty()) said.count = parts.each;
    task<> agreed = agree(on, operation, said.reads(mine).writes(all));
    co_await agreed;
  }
  if (options.ports > 1 && parts.ends.empty() && parts.each != 0) {
    on.begin(operation, choices(options.ports, parts.each, 1));
    copy_own(all.data + parts.part(on.rank()).offset, mine.data, mine.bytes(), traffic);
    task<> work = concatenate(on, all.data, all.size, parts.each, options.ports, traffic);
    co_await work;
    co_return;
  }
  if (on.size() >= many_ranks && options.blocks == 0) {
    on.begin(operation, choices(choices(parts), 0, 2));
    task<> work = collected_all_gather(on, mine.data, all.data, parts, traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks =
      blocks_for(name_of(operation), on, parts.longest(on.size()), all.size, options);
  on.begin(operation, choices(choices(parts), blocks));
  task<> work = all_broadcast(on, mine.data, all.data, parts, blocks, traffic);
  co_await work;
}

}  // namespace

task<> run_broadcast(vp& me, elements data, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t root = checked_root("broadcast", on, options);
  if (on.size() == 1) co_return;
  if (on.strict()) {
    const claim said{.count = data.count, .root = root, .blocks = options.blocks};
    task<> agreed = agree(on, collective::broadcast,
                          on.rank() == root ? said.reads(readable(data)) : said.writes(data));
    co_await agreed;
  }
  if (on.size() == 2 && options.blocks == 0 && data.bytes() >= worth_copying_together) {
    on.begin(collective::broadcast, choices(root, 0));
    task<> work = copy_together(on, on.rank() == root, data.data, data.bytes(), counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = data.bytes() <= line_ring::largest && options.blocks == 0
                                 ? 1
                                 : blocks_for("broadcast", on, data.count, data.size, options);
  on.begin(collective::broadcast, choices(root, blocks));
  task<> work =
      broadcast_blocks(on, root, data.data, {data.size, data.count, blocks}, counted.traffic);
  co_await work;
}

task<> run_all_gather(vp& me, const_elements mine, elements all, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = same_parts_of("all_gather", mine.count, all.size, on);
  check_count("all_gather", "the output", all.count, mine.count * on.size());
  task<> work =
      all_gather_parts(on, collective::all_gather, mine, all, parts, options, counted.traffic);
  co_await work;
}

task<> run_all_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                        collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("all_gather_v", of_ranks, all.size, on, on.ends());
  check_count("all_gather_v", "the input", mine.count, parts.count(on.rank()));
  check_count("all_gather_v", "the output", all.count, parts.ends.back());
  task<> work =
      all_gather_parts(on, collective::all_gather_v, mine, all, parts, options, counted.traffic);
  co_await work;
}

namespace {

/// In place: of what others are to read while we write there, a copy.
const std::byte* readable_source(endpoint& on, const_elements in, const elements& out,
                                 collective_traffic& traffic) {
  if (in.data != out.data || in.bytes() == 0) return in.data;
  std::byte* const copy = on.scratch(in.bytes());
  copy_own(copy, in.data, in.bytes(), traffic);
  return copy;
}

}  // namespace

task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  if (options.ports == 0)
    refuse("all_to_all", "0 ports send nothing; give 1 or more in collective_options::ports");
  check_count("all_to_all", "the output", out.count, in.count);
  const layout parts = equal_parts_of("all_to_all", in.count, in.size, on);
  check_apart("all_to_all", in.data, in.bytes(), out.data, out.bytes(), out.data);
  const std::size_t size = on.size(), bytes = parts.each * in.size;
  if (options.radix != 0 && (options.radix < 2 || options.radix > std::max<std::size_t>(2, size)))
    refuse("all_to_all", "a radix of " + std::to_string(options.radix) + " makes no sense for " +
                             std::to_string(size) + " ranks; give one from 2 to their number");
  if (on.strict()) {
    const claim said{.count = in.count, .radix = options.radix, .ports = options.ports};
    task<> agreed = agree(on, collective::all_to_all, said.reads(in).writes(out));
    co_await agreed;
  }
  if (bytes == 0) co_return;
  if (size >= many_ranks && options.radix == 0) {
    on.begin(collective::all_to_all, choices(bytes, 0, 1));
    const std::byte* const from = readable_source(on, in, out, counted.traffic);
    task<> work = collected_exchange(on, from, parts, out.data, parts, counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t radix = size <= 2 ? 2
                            : options.radix != 0
                                ? options.radix
                                : best_index_radix(size, options.ports, bytes, options.cost);
  on.begin(collective::all_to_all, choices(options.ports, radix));
  if (radix < size && size > 2) {
    task<> work = index_blocks(on, in.data, out.data, bytes, static_cast<unsigned>(radix),
                               options.ports, counted.traffic);
    co_await work;
    co_return;
  }
  const std::byte* const from = readable_source(on, in, out, counted.traffic);
  task<> work = exchange_parts(on, from, parts, out.data, parts, counted.traffic);
  co_await work;
}

task<> run_all_to_all_v(vp& me, const_elements in, elements out, counts sent, counts received,
                        collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  std::vector<std::size_t> ends_in, ends_out;
  const layout from = parts_of("all_to_all_v", sent, in.size, on, ends_in);
  const layout to = parts_of("all_to_all_v", received, out.size, on, ends_out);
  check_count("all_to_all_v", "the input", in.count, from.ends.back());
  check_count("all_to_all_v", "the output", out.count, to.ends.back());
  check_count("all_to_all_v", "what a rank receives from itself", to.count(on.rank()),
              from.count(on.rank()));
  check_apart("all_to_all_v", in.data, in.bytes(), out.data, out.bytes(), out.data);
  if (on.strict()) {
    task<> agreed = agree(on, collective::all_to_all_v, claim{}.reads(in).writes(out));
    co_await agreed;
  }
  on.begin(collective::all_to_all_v, 0);
  const std::byte* const source = readable_source(on, in, out, counted.traffic);
  task<> work = on.size() >= many_ranks
                    ? collected_exchange(on, source, from, out.data, to, counted.traffic)
                    : exchange_parts(on, source, from, out.data, to, counted.traffic);
  co_await work;
}

namespace {

task<> scatter_checked(collective operation, endpoint& on, const_elements all, elements mine,
                       layout parts, const collective_options& options,
                       collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the output", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's input", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    claim said = claim{.parts = choices(parts), .root = root}.writes(mine);
    if (parts.ends.empty()) said.count = parts.each;
    if (on.rank() == root) said = said.reads(all);
    task<> agreed = agree(on, operation, said);
    co_await agreed;
  }
  on.begin(operation, choices(choices(parts), root));
  task<> work = scatter_parts(on, root, all.data, parts, mine.data, traffic);
  co_await work;
}

task<> gather_checked(collective operation, endpoint& on, const_elements mine, elements all,
                      layout parts, const collective_options& options,
                      collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the input", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's output", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  if (on.strict()) {
    claim said = claim{.parts = choices(parts), .root = root}.reads(mine);
    if (parts.ends.empty()) said.count = parts.each;
    if (on.rank() == root) said = said.writes(all);
    task<> agreed = agree(on, operation, said);
    co_await agreed;
  }
  on.begin(operation, choices(choices(parts), root));
  task<> work = gather_parts(on, root, mine.data, all.data, parts, traffic);
  co_await work;
}

}  // namespace

task<> run_scatter(vp& me, const_elements all, elements mine, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = same_parts_of("scatter", mine.count, mine.size, on);
  task<> work =
      scatter_checked(collective::scatter, on, all, mine, parts, options, counted.traffic);
  co_await work;
}

task<> run_scatter_v(vp& me, const_elements all, elements mine, counts of_ranks,
                     collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("scatter_v", of_ranks, mine.size, on, on.ends());
  task<> work =
      scatter_checked(collective::scatter_v, on, all, mine, parts, options, counted.traffic);
  co_await work;
}

task<> run_gather(vp& me, const_elements mine, elements all, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = same_parts_of("gather", mine.count, mine.size, on);
  task<> work = gather_checked(collective::gather, on, mine, all, parts, options, counted.traffic);
  co_await work;
}

task<> run_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                    collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("gather_v", of_ranks, mine.size, on, on.ends());
  task<> work =
      gather_checked(collective::gather_v, on, mine, all, parts, options, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
