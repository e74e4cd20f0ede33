// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/detail/rings.hpp>

#include "sweep/sweep_case.hpp"

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

  /// D(ranks, g, l) in seconds. A run begins and ends at the first rank, which takes as long as a
  /// superstep.
  [[nodiscard]] double seconds(double g, double l) const {
    return bytes / 8 * g + (supersteps + runs) * l;
  }
};

/// Counted without running it, from where its parts are: what the Cost sections of
/// the functions say in numbers; of all_reduce from the schedule of operators that commute, which
/// sums of f64 take only with {.commutative = true}. Sorts are of random keys.
///
/// None where it is not known: transforms of sizes that are no powers of two, or of several lines
/// that ranks share. tests/mpi/prediction compares it with what MPI is asked to send.
/// Requires: at least one rank and one worker. Cost: O(ranks · log ranks); of a stencil O(ranks ·
/// workers + supersteps).
[[nodiscard]] std::optional<rank_costs> costs_over_ranks(const ranked_work& work,
                                                         const rank_shape& on);

/// Seconds of communication, by cause.
struct communication_times {
  double bytes = 0, latency = 0, messages = 0;

  [[nodiscard]] double sum() const { return bytes + latency + messages; }
};

/// Nodes that a network connects, each with one rank on all of its cores. What is no datum of a
/// vendor is assumed, and says so.
struct cluster {
  std::string_view name;
  std::string_view what;        ///< one line: the parameters, and where they are from
  double latency = 0;           ///< seconds from one program to another, a short message alone
  double overhead = 0;          ///< seconds of a processor for each message, at either end
  double bytes_per_second = 0;  ///< of a node, each way at the same time
  unsigned cores = 1;           ///< of a node

  /// Time of what a program on that many nodes exchanges: bytes at the node's rate, the latency of
  /// each time of travel, the overhead of each message at both ends.
  [[nodiscard]] communication_times times(const rank_costs& costs) const {
    return {costs.bytes / bytes_per_second, costs.times * latency, 2 * costs.messages * overhead};
  }
};

/// Finds infiniband or ethernet. Throws: pleat::usage_error that names the known ones.
[[nodiscard]] const cluster& find_cluster(std::string_view name);

/// Prediction of one program on a number of nodes.
struct prediction {
  std::string machine;
  std::string program;
  std::size_t n = 0;
  std::size_t nodes = 0;
  std::size_t cores = 1;  ///< of a node
  rank_costs costs;
  communication_times communication;
  double work = 0;  ///< seconds: the time of one core here, shared by all cores

  [[nodiscard]] double seconds() const { return work + communication.sum(); }
  /// Names the term that takes longest: work, bytes, latency or messages.
  [[nodiscard]] std::string_view longest() const;
};

/// A table for a terminal, and what has to hold for it.
[[nodiscard]] std::string predictions_text(std::span<const prediction> all,
                                           std::span<const std::string> machines);

/// `[{machine, program, n, nodes, cores, S, F_bytes, runs, messages, times, work_s, bytes_s,
/// latency_s, messages_s, communication_s, predicted_s, longest}]`
[[nodiscard]] nlohmann::ordered_json predictions_json(std::span<const prediction> all);

/// The work of a case of a sweep.
[[nodiscard]] ranked_work work_of(const sweep_case& at);

}  // namespace pleat::bench
