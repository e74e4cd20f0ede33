// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/machine_model.hpp>

#include "rank_costs.hpp"
#include "sweep/sweep_case.hpp"

namespace pleat::bench {

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
  /// D-BSP of 2^levels nodes in seconds, messages of 8 bytes. In a superstep of a cluster of m
  /// nodes each sends m − 1 messages and receives as many: l = latency + 2(m − 1)·overhead. The
  /// network has full bisection, so g is the same for all clusters.
  [[nodiscard]] machine_model machine(unsigned levels) const;
};

/// Lists the clusters that have names: infiniband, ethernet.
[[nodiscard]] std::span<const cluster> clusters();

/// Throws: pleat::usage_error that names the known ones.
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
