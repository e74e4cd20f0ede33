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
  const engine by = engine_for(collective::broadcast, on, options.blocks != 0);
  const std::size_t blocks = by == engine::rendezvous
                                 ? 0
                                 : blocks_between_processes("broadcast", on, data.count, data.size,
                                                            options, cost_of(on, options));
  on.begin(collective::broadcast, digest(root, blocks, by), data.size);
  const block_split split{data.size, data.count, blocks};
  task<> work = by == engine::rendezvous
                    ? collected_broadcast(on, root, data.data, data.bytes(), counted.traffic)
                : by == engine::circulant
                    ? broadcast_blocks(on, root, data.data, split, counted.traffic)
                    : broadcast_in_levels(on, root, data.data, split, counted.traffic);
  co_await work;
}

}  // namespace pleat::detail
