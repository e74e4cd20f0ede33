// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "checks.hpp"

/// Choice of the algorithm of an operation, and of its number of blocks, where the options leave it
/// open.
namespace pleat::detail {

/// Greatest number of blocks of a message, or of all that a rank must remember: a block takes a
/// round, and eight bytes.
inline constexpr std::size_t most_blocks = std::size_t{1} << 20;

/// Cost for which the algorithm of an operation is chosen.
[[nodiscard]] inline message_cost cost_of(const endpoint& on, const collective_options& options) {
  if (options.cost) return *options.cost;
  // Counts do not depend on the host.
  if (!on.spread() || vp_access::counts(on.me())) return {};
  const process_message_cost between = vp_access::cost_between_processes(on.me());
  return {between.start, between.per_byte};
}

/// Cost for which blocks of sums between processes are chosen, the same on all machines, because
/// the order of sums depends on the blocks: a message of 16 KiB takes twice as long as an empty
/// one.
[[nodiscard]] inline message_cost cost_of_sums(const collective_options& options) {
  return options.cost.value_or(message_cost{2e-6, 2e-6 / 16384});
}

/// Number n of blocks of a circulant schedule whose longest message has so many elements. The
/// rounds n − 1 + q cost β + τ·m/n each, which is least for n = √((q − 1)·τ·m/β).
///
/// `lists`: for how many ranks a rank must remember where each block lies. Throws: usage_error if
/// blocks are given that have no room there, or that would never end.
[[nodiscard]] inline std::size_t blocks_for(std::string_view operation,
                                            const circulant_graph& graph, std::size_t count,
                                            std::size_t element, std::size_t given,
                                            const message_cost& cost, std::size_t lists = 1) {
  if (given != 0) {
    const std::size_t most = std::max<std::size_t>(1, most_blocks / lists);
    if (given > most)
      refuse(operation, std::to_string(given) + " blocks are too many: give at most " +
                            std::to_string(most) +
                            " in collective_options::blocks, or 0 for the number that suits");
    return given;
  }
  const double q = graph.rounds();
  const double time = static_cast<double>(count * element) * cost.per_byte;
  if (q < 2 || !(cost.start > 0) || !(time > 0)) return 1;
  const double best = std::sqrt((q - 1) * time / cost.start);
  constexpr double most = 4096;
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::min(best, most)), 1,
                                 std::max<std::size_t>(1, count));
}

/// Number of blocks for the circulant graph of the processes, among which `count` elements travel;
/// in one process the given one.
[[nodiscard]] inline std::size_t blocks_between_processes(std::string_view operation,
                                                          const endpoint& on, std::size_t count,
                                                          std::size_t element,
                                                          const collective_options& options,
                                                          const message_cost& cost) {
  if (count * element <= line_ring::largest && options.blocks == 0) return 1;
  return blocks_for(operation, circulant_graph(processes_of(on)), count, element, options.blocks,
                    cost);
}

/// Tells whether every process gets the sums of all: worth it while the bytes cost less than the
/// latency of a second phase.
[[nodiscard]] inline bool worth_gathering_sums(const endpoint& on, std::size_t bytes,
                                               const collective_options& options) {
  const std::uint32_t processes = processes_of(on);
  const double q = std::bit_width(processes - 1);
  const message_cost cost = cost_of(on, options);
  return options.blocks == 0 &&
         static_cast<double>(processes * bytes) * cost.per_byte < q * cost.start;
}

}  // namespace pleat::detail
