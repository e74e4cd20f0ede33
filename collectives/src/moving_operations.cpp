// SPDX-License-Identifier: Apache-2.0
// Operations that move data and do not change it.
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/index_schedule.hpp>

#include "checks.hpp"
#include "choices.hpp"
#include "counting.hpp"

namespace pleat::detail {

namespace {

task<> all_gather_parts(endpoint& on, const_elements mine, elements all, layout parts,
                        const collective_options& options, collective_traffic& traffic) {
  if (options.ports > 1 && parts.ends.empty() && parts.each != 0) {
    on.begin(choices(options.ports, 0));
    copy_own(all.data + parts.part(on.rank()).offset, mine.data, mine.bytes(), traffic);
    task<> work = concatenate(on, all.data, all.size, parts.each, options.ports, traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = blocks_for(on, parts.longest(on.size()), all.size, options);
  on.begin(choices(choices(parts), blocks));
  task<> work = all_broadcast(on, mine.data, all.data, parts, blocks, traffic);
  co_await work;
}

void check_ports(std::string_view operation, const collective_options& options) {
  if (options.ports == 0)
    refuse(operation, "0 ports send nothing; give 1 or more in collective_options::ports");
}

}  // namespace

task<> run_broadcast(vp& me, elements data, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t root = checked_root("broadcast", on, options);
  if (on.size() == 1) co_return;
  if (on.size() == 2 && options.blocks == 0 && data.bytes() >= worth_copying_together) {
    on.begin(choices(root, 0));
    task<> work = copy_together(on, collective::broadcast, on.rank() == root, data.data,
                                data.bytes(), counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = data.bytes() <= endpoint::copied && options.blocks == 0
                                 ? 1
                                 : blocks_for(on, data.count, data.size, options);
  on.begin(choices(root, blocks));
  task<> work =
      broadcast_blocks(on, root, data.data, {data.size, data.count, blocks}, counted.traffic);
  co_await work;
}

task<> run_all_gather(vp& me, const_elements mine, elements all, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_ports("all_gather", options);
  check_count("all_gather", "the output", all.count, mine.count * on.size());
  const layout parts{all.size, mine.count};
  check_apart("all_gather", mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  task<> work = all_gather_parts(on, mine, all, parts, options, counted.traffic);
  co_await work;
}

task<> run_all_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                        collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_ports("all_gather_v", options);
  const layout parts = parts_of("all_gather_v", of_ranks, all.size, on, on.ends());
  check_count("all_gather_v", "the input", mine.count, parts.count(on.rank()));
  check_count("all_gather_v", "the output", all.count, parts.ends.back());
  check_apart("all_gather_v", mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  task<> work = all_gather_parts(on, mine, all, parts, options, counted.traffic);
  co_await work;
}

task<> run_all_to_all(vp& me, const_elements in, elements out, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  check_ports("all_to_all", options);
  check_count("all_to_all", "the output", out.count, in.count);
  const layout parts = equal_parts_of("all_to_all", in.count, in.size, on);
  check_apart("all_to_all", in.data, in.bytes(), out.data, out.bytes(), out.data);
  const std::size_t size = on.size(), bytes = parts.each * in.size;
  if (options.radix != 0 && (options.radix < 2 || options.radix > std::max<std::size_t>(2, size)))
    refuse("all_to_all", "a radix of " + std::to_string(options.radix) + " makes no sense for " +
                             std::to_string(size) + " ranks; give one from 2 to their number");
  if (bytes == 0) co_return;
  const std::size_t radix = size <= 2 ? 2
                            : options.radix != 0
                                ? options.radix
                                : best_index_radix(size, options.ports, bytes, options.cost);
  on.begin(choices(options.ports, radix));
  const bool in_place = in.data == out.data;
  if (radix < size && size > 2) {
    task<> work = index_blocks(on, in.data, out.data, bytes, static_cast<unsigned>(radix),
                               options.ports, counted.traffic);
    co_await work;
    co_return;
  }
  const std::byte* from = in.data;
  if (in_place) {
    std::byte* const copy = on.scratch(in.bytes());
    copy_own(copy, in.data, in.bytes(), counted.traffic);
    from = copy;
  }
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
  on.begin(0);
  const std::byte* source = in.data;
  if (in.data == out.data && in.bytes() != 0) {
    std::byte* const copy = on.scratch(in.bytes());
    copy_own(copy, in.data, in.bytes(), counted.traffic);
    source = copy;
  }
  task<> work = exchange_parts(on, source, from, out.data, to, counted.traffic);
  co_await work;
}

namespace {

task<> scatter_checked(std::string_view name, endpoint& on, const_elements all, elements mine,
                       layout parts, const collective_options& options,
                       collective_traffic& traffic) {
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the output", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's input", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  on.begin(choices(choices(parts), root));
  task<> work = scatter_parts(on, root, all.data, parts, mine.data, traffic);
  co_await work;
}

task<> gather_checked(std::string_view name, endpoint& on, const_elements mine, elements all,
                      layout parts, const collective_options& options,
                      collective_traffic& traffic) {
  const std::uint32_t root = checked_root(name, on, options);
  check_count(name, "the input", mine.count, parts.count(on.rank()));
  if (on.rank() == root) {
    check_count(name, "the root's output", all.count, parts.total(on.size()) / all.size);
    check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
                all.data + parts.part(root).offset);
  }
  on.begin(choices(choices(parts), root));
  task<> work = gather_parts(on, root, mine.data, all.data, parts, traffic);
  co_await work;
}

}  // namespace

task<> run_scatter(vp& me, const_elements all, elements mine, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  task<> work =
      scatter_checked("scatter", on, all, mine, {mine.size, mine.count}, options, counted.traffic);
  co_await work;
}

task<> run_scatter_v(vp& me, const_elements all, elements mine, counts of_ranks,
                     collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("scatter_v", of_ranks, mine.size, on, on.ends());
  task<> work = scatter_checked("scatter_v", on, all, mine, parts, options, counted.traffic);
  co_await work;
}

task<> run_gather(vp& me, const_elements mine, elements all, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  task<> work =
      gather_checked("gather", on, mine, all, {mine.size, mine.count}, options, counted.traffic);
  co_await work;
}

task<> run_gather_v(vp& me, const_elements mine, elements all, counts of_ranks,
                    collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("gather_v", of_ranks, mine.size, on, on.ends());
  task<> work = gather_checked("gather_v", on, mine, all, parts, options, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
