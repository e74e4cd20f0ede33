// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>

#include "agreement.hpp"
#include "algorithm_choice.hpp"
#include "checks.hpp"
#include "counting.hpp"
#include "digest.hpp"

namespace pleat::detail {

namespace {

task<> all_gather_parts(endpoint& on, collective operation, const_elements mine, elements all,
                        layout parts, const collective_options& options,
                        collective_traffic& traffic) {
  if (options.ports == 0)
    refuse(name_of(operation), "0 ports send nothing; give 1 or more in collective_options::ports");
  check_apart(name_of(operation), mine.data, mine.bytes(), all.data, all.bytes(),
              all.data + parts.part(on.rank()).offset);
  if (on.strict()) {
    call_arguments given{.parts = digest(parts), .blocks = options.blocks, .ports = options.ports};
    if (parts.ends.empty()) given.count = parts.each;
    task<> agreed = agree(on, operation, given.reads(mine).writes(all));
    co_await agreed;
  }
  if (options.ports > 1 && parts.total(on.size()) != 0) {
    on.begin(operation, digest(options.ports, digest(parts), 1), all.size);
    copy_own(all.data + parts.part(on.rank()).offset, mine.data, mine.bytes(), traffic);
    task<> work = concatenate(on, all.data, parts, options.ports, traffic);
    co_await work;
    co_return;
  }
  if (collects(on) && options.blocks == 0) {
    on.begin(operation, digest(digest(parts), 0, 2), all.size);
    task<> work = collected_all_gather(on, mine.data, all.data, parts, traffic);
    co_await work;
    co_return;
  }
  if (options.blocks == 0 && has_levels(on)) {
    const std::size_t share = parts.total(on.size()) / all.size / processes_of(on);
    const std::size_t blocks = blocks_between_processes(name_of(operation), on, share, all.size,
                                                        options, cost_of(on, options));
    on.begin(operation, digest(digest(parts), blocks, 3), all.size);
    task<> work = all_gather_in_levels(on, mine.data, all.data, parts, blocks, traffic);
    co_await work;
    co_return;
  }
  if (on.size() == 2 && options.blocks == 0) {
    on.begin(operation, digest(digest(parts), 1), all.size);
    task<> work = swap_parts(on, mine.data, all.data, parts, traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = blocks_for(name_of(operation), on.graph(), parts.longest(on.size()),
                                        all.size, options.blocks, cost_of(on, options));
  on.begin(operation, digest(digest(parts), blocks), all.size);
  task<> work = all_broadcast(on, mine.data, all.data, parts, blocks, traffic);
  co_await work;
}

}  // namespace

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

}  // namespace pleat::detail
