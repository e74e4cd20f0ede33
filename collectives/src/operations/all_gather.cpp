// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "../engines/levels.hpp"
#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

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
  check_apart(name, mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  if (on.strict()) {
    call_arguments given{.parts = digest(parts), .blocks = options.blocks, .ports = options.ports};
    if (parts.ends.empty()) given.count = parts.each;
    task<> agreed = agree(on, operation, given.reads(mine).writes(all));
    co_await agreed;
  }
  if (on.size() == 1) {
    copy(all.data, mine.data, bytes, counted.traffic);
    co_return;
  }
  const engine by = engine_for(operation, on, options.blocks != 0, options.ports > 1 && bytes != 0);
  const std::size_t blocks =
      by == engine::rendezvous || by == engine::concatenation
          ? 0
          : blocks_between_processes(
                name, on, by == engine::levels ? longest_of_processes(parts, on.in_levels()) : 0,
                all.size, options, cost_of(on, options));
  on.begin(operation,
           digest(digest(parts), by == engine::concatenation ? options.ports : blocks, by),
           all.size);
  if (by == engine::concatenation)
    copy(all.data + parts.part(on.rank()).offset, mine.data, mine.bytes(), counted.traffic);
  task<> work = by == engine::rendezvous
                    ? collected_all_gather(on, mine.data, all.data, parts, counted.traffic)
                : by == engine::concatenation
                    ? concatenate(on, all.data, parts, options.ports, counted.traffic)
                : by == engine::circulant
                    ? all_broadcast(on, mine.data, all.data, parts, blocks, counted.traffic)
                    : all_gather_in_levels(on, mine.data, all.data, parts, blocks, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
