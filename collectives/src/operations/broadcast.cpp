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

const_elements readable(elements data) { return {data.data, data.count, data.size}; }

}  // namespace

task<> run_broadcast(vp& me, elements data, collective_options options) {
  counting counted(options);
  endpoint& on = endpoint_of(me, members(me, options));
  const std::uint32_t root = checked_root("broadcast", on, options);
  if (on.size() == 1) co_return;
  if (on.strict()) {
    const call_arguments given{.count = data.count, .root = root, .blocks = options.blocks};
    task<> agreed = agree(on, collective::broadcast,
                          on.rank() == root ? given.reads(readable(data)) : given.writes(data));
    co_await agreed;
  }
  if (collects(on) && options.blocks == 0) {
    on.begin(collective::broadcast, digest(root, 0), data.size);
    task<> work = collected_broadcast(on, root, data.data, data.bytes(), counted.traffic);
    co_await work;
    co_return;
  }
  if (options.blocks == 0 && has_levels(on)) {
    const std::size_t blocks = blocks_between_processes("broadcast", on, data.count, data.size,
                                                        options, cost_of(on, options));
    on.begin(collective::broadcast, digest(root, blocks, 1), data.size);
    task<> work =
        broadcast_in_levels(on, root, data.data, {data.size, data.count, blocks}, counted.traffic);
    co_await work;
    co_return;
  }
  if (on.size() == 2 && !on.spread() && options.blocks == 0 &&
      data.bytes() >= worth_copying_together) {
    on.begin(collective::broadcast, digest(root, 0), data.size);
    task<> work = copy_together(on, on.rank() == root, data.data, data.bytes(), counted.traffic);
    co_await work;
    co_return;
  }
  const std::size_t blocks = data.bytes() <= line_ring::largest && options.blocks == 0
                                 ? 1
                                 : blocks_for("broadcast", on.graph(), data.count, data.size,
                                              options.blocks, cost_of(on, options));
  on.begin(collective::broadcast, digest(root, blocks), data.size);
  task<> work =
      broadcast_blocks(on, root, data.data, {data.size, data.count, blocks}, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
