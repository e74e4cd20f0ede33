// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "../engines/level_parts.hpp"
#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"
#include "combining.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

/// Number of blocks of the parts of the processes: equal ones need but one, since the parts of all
/// travel in each round; what the longest has more than others is divided.
std::size_t blocks_of_processes(std::string_view name, endpoint& on, const layout& parts,
                                const collective_options& options) {
  const std::uint32_t processes = on.in_levels().processes();
  const std::vector<std::size_t> ends = ends_of_processes(parts, on.in_levels());
  const std::size_t longest = layout{parts.element, 0, ends}.longest(processes);
  return blocks_for(name, circulant_graph(processes), longest - ends.back() / processes,
                    parts.element, options.blocks, cost_of_sums(options), processes);
}

task<> reduce_scatter_parts(collective operation, endpoint& on, const_elements in, elements out,
                            layout parts, reduction by, const collective_options& options,
                            collective_traffic& traffic) {
  const std::string_view name = name_of(operation);
  check_count(name, "the output", out.count, parts.count(on.rank()));
  check_apart(name, out.data, out.bytes(), in.data, in.bytes(),
              in.data + parts.part(on.rank()).offset);
  if (on.size() == 1) {
    copy_own(out.data, in.data, in.bytes(), traffic);
    co_return;
  }
  if (on.strict()) {
    call_arguments given = arguments_of(in, by, options);
    given.parts = digest(parts);
    task<> agreed = agree(on, operation, given.writes(out));
    co_await agreed;
  }
  if (in.bytes() == 0) co_return;
  if (on.spread()) {
    const std::size_t blocks = blocks_of_processes(name, on, parts, options);
    const combining how{by.op, by.commutes, worth_gathering_sums(on, in.bytes(), options)};
    on.begin(operation, digest(digest(parts), blocks, how.gathered ? 3 : 2), in.size);
    task<> work = reduce_scatter_in_levels(on, in.data, out.data, parts, blocks, how, traffic);
    co_await work;
    co_return;
  }
  if (!by.commutes || (on.size() >= many_ranks && options.blocks == 0) ||
      worth_slicing(on, in.bytes(), options)) {
    on.begin(operation, digest(digest(parts), 0, 1), in.size);
    task<> work = in_order(on, ordered::reduce_scatter, 0, in.data, out.data, in.bytes(), by.op,
                           traffic, parts);
    co_await work;
    co_return;
  }
  const std::size_t blocks = blocks_for(name, on.graph(), parts.longest(on.size()), in.size,
                                        options.blocks, cost_of(on, options), on.size());
  on.begin(operation, digest(digest(parts), blocks), in.size);
  task<> work = all_reduce_parts(on, in.data, out.data, parts, blocks, by.op, true, traffic);
  co_await work;
}

}  // namespace

task<> run_reduce_scatter(vp& me, const_elements in, elements out, reduction by,
                          collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = equal_parts_of("reduce_scatter", in.count, in.size, on);
  task<> work = reduce_scatter_parts(collective::reduce_scatter, on, in, out, parts, by, options,
                                     counted.traffic);
  co_await work;
}

task<> run_reduce_scatter_v(vp& me, const_elements in, elements out, reduction by,
                            collective_options options, counts of_ranks) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const layout parts = parts_of("reduce_scatter_v", of_ranks, in.size, on, on.ends());
  check_count("reduce_scatter_v", "the input", in.count, parts.ends.back());
  task<> work = reduce_scatter_parts(collective::reduce_scatter_v, on, in, out, parts, by, options,
                                     counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
