// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <span>
#include <utility>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/index_schedule.hpp>
#include <pleat/runtime/error.hpp>

#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

// Refuses what nobody can read and no memory holds; the numbers are factors.
void require_few(double processors, double blocks) {
  if (processors * blocks > 2e6)
    throw usage_error(
        "P: the messages of so many processors carry more than two million blocks; "
        "take a smaller P");
}

// Adds the messages of a schedule that is carried out from its end to its beginning.
void add_reversed(schedule_messages& to, const schedule_messages& of) {
  for (std::size_t round = of.rounds; round-- > 0;) {
    for (const scheduled_message& one : of.messages) {
      if (one.round != round) continue;
      to.messages.push_back({to.rounds + of.rounds - 1 - round, one.to, one.from, one.what});
    }
  }
  to.rounds += of.rounds;
}

constexpr auto fewest = "no schedule of one port takes fewer rounds than n − 1 + ⌈log2 p⌉";

}  // namespace

schedule_messages broadcast_messages(std::size_t processors, std::size_t blocks, std::size_t root) {
  require_few(static_cast<double>(processors), static_cast<double>(blocks));
  const circulant_graph graph(processors);
  const circulant_table table(graph);
  const circulant_rounds rounds(graph, blocks);
  schedule_messages all{"broadcast", processors, rounds.size(), fewest, false, {}};
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (std::uint32_t rank = 0; rank < graph.processors(); ++rank) {
      const auto from_root = static_cast<std::uint32_t>((rank + processors - root) % processors);
      const circulant_step step = rounds.step(graph, table.schedule(from_root), rank,
                                              static_cast<std::uint32_t>(root), round);
      if (step.sent != circulant_step::none)
        all.messages.push_back({round, rank, step.to, {{step.sent, root}}});
    }
  }
  return all;
}

schedule_messages reduce_messages(std::size_t processors, std::size_t blocks, std::size_t root) {
  schedule_messages all{"reduce", processors, 0, fewest, false, {}};
  add_reversed(all, broadcast_messages(processors, blocks, root));
  return all;
}

schedule_messages all_gather_messages(std::size_t processors, std::size_t blocks) {
  require_few(static_cast<double>(processors) * static_cast<double>(processors),
              static_cast<double>(blocks));
  const circulant_graph graph(processors);
  const circulant_table table(graph);
  const circulant_rounds rounds(graph, blocks);
  schedule_messages all{"all-gather", processors, rounds.size(), fewest, blocks > 1, {}};
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const unsigned k = rounds.skip_index(round);
    const std::span<const std::int8_t> entries = table.received(k);
    for (std::uint32_t rank = 0; rank < graph.processors(); ++rank) {
      scheduled_message one{round, rank, graph.to(rank, k), {}};
      for (std::size_t root = 0; root < processors; ++root) {
        if (root == one.to) continue;
        const std::size_t block =
            rounds.block(entries[(one.to + processors - root) % processors], round);
        if (block != circulant_step::none) one.what.emplace_back(block, root);
      }
      if (!one.what.empty()) all.messages.push_back(std::move(one));
    }
  }
  return all;
}

schedule_messages reduce_scatter_messages(std::size_t processors, std::size_t blocks) {
  schedule_messages all{"reduce-scatter", processors, 0, fewest, blocks > 1, {}};
  add_reversed(all, all_gather_messages(processors, blocks));
  return all;
}

schedule_messages all_reduce_messages(std::size_t processors, std::size_t blocks) {
  schedule_messages all = reduce_scatter_messages(processors, blocks);
  all.kind = "all-reduce";
  all.bound = "each half takes the fewest rounds of one port, n − 1 + ⌈log2 p⌉";
  schedule_messages gathered = all_gather_messages(processors, blocks);
  for (scheduled_message& one : gathered.messages) {
    one.round += all.rounds;
    all.messages.push_back(std::move(one));
  }
  all.rounds += gathered.rounds;
  return all;
}

schedule_messages index_messages(std::size_t processors, std::size_t radix, std::size_t ports) {
  require_few(static_cast<double>(processors), static_cast<double>(processors) * 4);
  const index_schedule schedule(processors, radix, ports);
  schedule_messages all{"index",
                        processors,
                        schedule.rounds(),
                        "the largest messages of all rounds have " +
                            counted(schedule.volume(), "block") + " together (C2)",
                        false,
                        {}};
  for (const index_step& step : schedule.steps()) {
    for (std::size_t rank = 0; rank < processors; ++rank) {
      scheduled_message one{step.round, rank, (rank + step.offset) % processors, {}};
      for (std::size_t j = 0; j < processors; ++j) {
        if (!schedule.moves(step, j)) continue;
        // Its lower digits brought the block here.
        const std::size_t source = (rank + processors - j % step.place) % processors;
        one.what.emplace_back((source + j) % processors, source);
      }
      if (!one.what.empty()) all.messages.push_back(std::move(one));
    }
  }
  return all;
}

schedule_messages concatenation_messages(std::size_t processors, std::size_t units,
                                         std::size_t ports) {
  require_few(static_cast<double>(processors),
              static_cast<double>(processors) * static_cast<double>(units));
  const concatenation_schedule schedule(processors, units, ports);
  schedule_messages all{"concatenation",
                        processors,
                        schedule.rounds().size(),
                        "the largest messages of all rounds have " +
                            counted(schedule.volume(), "unit") + " together (C2)",
                        units > 1,
                        {}};
  for (std::size_t round = 0; round < schedule.rounds().size(); ++round) {
    for (const concatenation_transfer& part : schedule.rounds()[round]) {
      for (std::size_t rank = 0; rank < processors; ++rank) {
        scheduled_message one{round, (rank + part.offset) % processors, rank, {}};
        for (std::size_t e = part.first; e < part.first + part.size; ++e)
          one.what.emplace_back(e % units, (rank + e / units) % processors);
        all.messages.push_back(std::move(one));
      }
    }
  }
  return all;
}

}  // namespace pleat::bench
