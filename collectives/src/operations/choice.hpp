// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/detail/engines.hpp>

#include "checks.hpp"

/// Choice of the engine of an operation, by the options and by which ranks share memory; of its
/// number of blocks, where the options leave it open; and the digest of what is chosen.
namespace pleat::detail {

/// Families of engines, and the order in which their reductions combine.
enum class engine : std::uint8_t {
  rendezvous,     ///< each rank copies or combines its part; along the tree of the ranks
  circulant,      ///< blocks on the circulant graph; in the order of its reversed schedule
  index,          ///< Bruck's index algorithm
  concatenation,  ///< Bruck's concatenation algorithm
  levels,         ///< inside each process as rendezvous, between the processes as circulant; along
                  ///< the tree of all ranks, if the operator does not commute
};

/// Row of the table: the engines of an operation.
struct engines_of_operation {
  engine together;   ///< all ranks in one process
  engine in_blocks;  ///< there, with collective_options::blocks and an operator that commutes
  engine fanned;     ///< there, with several ports or a radix r < p
  engine spread;     ///< ranks in several processes, or on a machine that traces
};

[[nodiscard]] constexpr engines_of_operation engines_of(collective operation) noexcept {
  using enum engine;
  switch (operation) {
    case collective::broadcast:
    case collective::reduce:
    case collective::all_reduce:
    case collective::reduce_scatter:
    case collective::reduce_scatter_v:
      return {rendezvous, circulant, rendezvous, levels};
    case collective::all_gather:
    case collective::all_gather_v:
      return {rendezvous, circulant, concatenation, levels};
    case collective::all_to_all:
      return {rendezvous, rendezvous, index, levels};
    default:  // all_to_all_v and scans; of scatter and gather there is one engine
      return {rendezvous, rendezvous, rendezvous, levels};
  }
}

/// Returns the engine of an operation. It does not depend on sizes.
[[nodiscard]] inline engine engine_for(collective operation, const endpoint& on, bool in_blocks,
                                       bool fanned = false) noexcept {
  const engines_of_operation row = engines_of(operation);
  if (fanned && (!on.spread() || row.fanned == engine::concatenation)) return row.fanned;
  if (on.spread()) return row.spread;
  return in_blocks ? row.in_blocks : row.together;
}

/// Greatest number of blocks of a message, or of all that a rank must remember: a block takes a
/// round, and eight bytes.
inline constexpr std::size_t most_blocks = std::size_t{1} << 20;

/// Cost that was measured between processes; null if another is given, or the machine counts, since
/// counts do not depend on the host.
[[nodiscard]] inline std::optional<process_message_cost> measured_cost(
    const endpoint& on, const collective_options& options) {
  if (options.cost || !on.spread() || vp_access::counts(on.me())) return {};
  return vp_access::cost_between_processes(on.me());
}

/// Cost for which the algorithm of an operation is chosen.
[[nodiscard]] inline message_cost cost_of(const endpoint& on, const collective_options& options) {
  if (const auto between = measured_cost(on, options)) return {between->start, between->per_byte};
  return options.cost.value_or(message_cost{});
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

/// Chooses how sums of `bytes` bytes are combined between processes. Every process gets the sums of
/// all while the bytes cost less than the latency of a second phase.
[[nodiscard]] inline combining combining_of(endpoint& on, const combiner& op, std::size_t bytes,
                                            const collective_options& options) {
  const std::uint32_t processes = processes_of(on);
  const double q = std::bit_width(processes - 1);
  const message_cost cost = cost_of(on, options);
  const std::size_t all = sums_of_processes(on, op) * bytes;
  if ((options.blocks == 0 || !op.commutes) &&
      static_cast<double>(all) * cost.per_byte < q * cost.start)
    return {op, true, 0};
  const unsigned radix =
      op.commutes ? 0 : cheapest_radix(processes, 1, all / processes / processes, cost, 2);
  return {op, false, radix};
}

/// Schedule between processes, chosen if none is asked for: butterflies among 2^k processes whose
/// near messages are cheap, in an operation in which each has an equal part, which it sends to all
/// or receives from all. They have as many rounds and bytes as the circulant graph, and few of
/// these go far. `equal_parts` tells whether it is such an operation.
template <std::predicate EqualParts>
[[nodiscard]] schedule_form form_of(engine by, const schedule_form& asked, const endpoint& on,
                                    const collective_options& options,
                                    const EqualParts& equal_parts) {
  if (by != engine::levels) return {};
  if (asked.along != collective_schedule::automatic) return asked;
  const auto between = measured_cost(on, options);
  const bool has_butterflies = options.blocks == 0 && std::has_single_bit(processes_of(on));
  return {has_butterflies && between && between->near_is_cheap() && equal_parts()
              ? collective_schedule::binomial
              : collective_schedule::circulant};
}

/// Digest of two numbers that all ranks must choose alike. Of different choices it differs, nearly
/// always; every message carries it, so that ranks that do not agree find out.
[[nodiscard]] inline std::uint64_t digest(std::size_t a, std::size_t b) noexcept {
  return std::uint64_t{a} << 32 ^ b;
}

/// Digest of three: `by` is the engine.
[[nodiscard]] inline std::uint64_t digest(std::size_t a, std::size_t b, engine by) noexcept {
  return (digest(a, b) ^ static_cast<std::uint64_t>(by)) * 0xd6e8feb86659fd93;
}

/// Digest of the sizes of parts.
[[nodiscard]] inline std::uint32_t digest(const layout& parts) noexcept {
  std::uint64_t mixed = parts.each;
  for (const std::size_t end : parts.ends) mixed = (mixed ^ mixed >> 32 ^ end) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32 ^ mixed);
}

}  // namespace pleat::detail
