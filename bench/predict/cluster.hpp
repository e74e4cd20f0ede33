// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include <pleat/runtime/machine_model.hpp>

#include "rank_costs.hpp"

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

}  // namespace pleat::bench
