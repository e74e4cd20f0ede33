// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pleat::bench {

/// Block of an operation on the circulant graph {block, root}; of an index operation {destination,
/// source}; unit of a concatenation {unit, rank it is from}; flit of a message {flit, processor
/// whose message it is}.
using carried = std::pair<std::size_t, std::size_t>;

/// One message of a schedule.
struct scheduled_message {
  std::size_t round;  ///< from 0; of trees: the step, less 1
  std::size_t from, to;
  std::vector<carried> what;
};

/// All messages of a schedule, round by round.
struct schedule_messages {
  std::string kind;
  std::size_t processors = 0;
  std::size_t rounds = 0;
  std::string bound;      ///< what is known of the number of rounds, in words
  bool in_parts = false;  ///< blocks have several units, messages several flits
  std::vector<scheduled_message> messages;
};

/// Throws, all of them: pleat::usage_error for numbers that make no sense, and for more than two
/// million blocks altogether; std::bad_alloc.

/// A broadcast of `blocks` blocks from `root` over a circulant graph, or a reduction to it.
[[nodiscard]] schedule_messages broadcast_messages(std::size_t processors, std::size_t blocks,
                                                   std::size_t root);
[[nodiscard]] schedule_messages reduce_messages(std::size_t processors, std::size_t blocks,
                                                std::size_t root);
/// Broadcasts of `blocks` blocks from all ranks at once, reductions to all, and the latter with the
/// former behind them. Of a reduction, {block, root} is a sum for the root.
[[nodiscard]] schedule_messages all_gather_messages(std::size_t processors, std::size_t blocks);
[[nodiscard]] schedule_messages reduce_scatter_messages(std::size_t processors, std::size_t blocks);
[[nodiscard]] schedule_messages all_reduce_messages(std::size_t processors, std::size_t blocks);
/// An all-to-all by Bruck's index algorithm.
[[nodiscard]] schedule_messages index_messages(std::size_t processors, std::size_t radix,
                                               std::size_t ports);
/// An all-gather of blocks of `units` units.
[[nodiscard]] schedule_messages concatenation_messages(std::size_t processors, std::size_t units,
                                                       std::size_t ports);

}  // namespace pleat::bench
