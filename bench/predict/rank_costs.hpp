// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/machine_model.hpp>

namespace pleat::bench {

/// A program on data that are distributed over ranks.
struct ranked_work {
  std::string_view program;       ///< sort, fft, matmul, stencil1, stencil2, stencil3, all_reduce
  std::size_t n = 0;              ///< keys, numbers, rows of a matrix, cells of a side
  std::size_t element_bytes = 8;  ///< fft: 16 of a complex number of double
  std::size_t lines = 1;          ///< fft: how many transforms of n numbers
  std::size_t steps = 0;          ///< stencils
};

/// Cost of messages by which barriers are assumed to be chosen, in any unit: one of 16 KiB takes
/// twice as long as an empty one.
inline constexpr detail::process_message_cost cost_of_choice{1, 1.0 / (1 << 14)};

/// Ranks, each with so many workers.
struct rank_shape {
  std::size_t ranks = 1;
  std::size_t workers = 1;
};

/// Costs of a program on ranks: the folding of its virtual processors, one for each worker, on
/// M(ranks). All its supersteps have the label 0.
struct rank_costs {
  double runs = 0;        ///< machine::run over all ranks
  double supersteps = 0;  ///< S⁰
  double bytes = 0;     ///< F⁰: over all supersteps, the most bytes that a rank sends or receives
  double messages = 0;  ///< of MPI, from the first rank: to each of the others, in each superstep,
                        ///< or fewer in rounds; two from 16 KB on; two for each run
  double times = 0;     ///< of travel, one after the other: one for each superstep, or for each of
                        ///< its rounds; two for each run

  /// H(ranks, σ) in messages of 8 bytes: F⁰ + S⁰·σ.
  [[nodiscard]] double H(double sigma) const { return bytes / 8 + supersteps * sigma; }
  /// D(ranks, g, l) in seconds. A run begins and ends at the first rank, which takes as long as a
  /// superstep.
  [[nodiscard]] double seconds(double g, double l) const {
    return bytes / 8 * g + (supersteps + runs) * l;
  }
};

/// Counted without running it, from where its parts are: what the Cost sections of
/// the functions say in numbers; of all_reduce from its schedule. Sorts are of random keys.
///
/// None where it is not known: transforms of sizes that are no powers of two, or of several lines
/// that ranks share. tests/mpi/prediction compares it with what MPI is asked to send.
/// Requires: at least one rank and one worker. Cost: O(ranks · log ranks); of a stencil O(ranks ·
/// workers + supersteps).
[[nodiscard]] std::optional<rank_costs> costs_over_ranks(const ranked_work& work,
                                                         const rank_shape& on);

}  // namespace pleat::bench
