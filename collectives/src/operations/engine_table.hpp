// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pleat/collectives/detail/endpoint.hpp>

/// Choice of the engine of an operation: by the options, and by which ranks share memory.
namespace pleat::detail {

/// Families of engines, and the order in which their reductions combine.
enum class engine : std::uint8_t {
  rendezvous,     ///< each rank copies or combines its part; in the order of the ranks
  circulant,      ///< blocks on the circulant graph; in the order of its reversed schedule
  index,          ///< Bruck's index algorithm
  concatenation,  ///< Bruck's concatenation algorithm
  levels,         ///< inside each process as rendezvous, between the processes as circulant; as
                  ///< rendezvous there, too, if the operator does not commute
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

}  // namespace pleat::detail
