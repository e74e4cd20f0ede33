// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

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

}  // namespace

schedule_messages broadcast_messages(std::size_t processors, std::size_t blocks, std::size_t root) {
  require_few(static_cast<double>(processors), static_cast<double>(blocks));
  const circulant_graph graph(processors);
  const circulant_table table(graph);
  const circulant_rounds rounds(graph, blocks);
  schedule_messages all{
      "broadcast",   processors,
      rounds.size(), "no schedule of one port takes fewer rounds than n − 1 + ⌈log2 p⌉",
      false,         {}};
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
