// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cluster.hpp"
#include "rank_costs.hpp"

namespace pleat::bench {

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

}  // namespace pleat::bench
