// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/interleave.hpp"

namespace pleat::bench {

/// Sample of one candidate: means over the operations in it.
struct sample {
  double seconds = 0;      ///< of an operation
  double cpu_seconds = 0;  ///< processor time of the process, making the data fresh included
  std::size_t iterations = 0;
};

/// Round of samples: one of every candidate, by its name, in the order they were taken.
using sample_round = std::vector<std::pair<std::string, sample>>;

/// Settings for measuring a case, in the process that was started for it.
struct stream_settings {
  double seconds = 0;      ///< that a sample lasts at least; 0: it is one call
  std::uint64_t seed = 1;  ///< of the order in a round
  bool warm_up = true;     ///< else the run that verifies is enough
  bench::pace pace = {};
};

/// Verifies all candidates, warms up, prints `ready` as a line of JSON, and then a round of samples
/// for each line that can be read from standard input.
///
/// A program is warm when it is no longer faster by a twentieth than the time before: after at
/// least two samples of every candidate and at most ten, or after one that took a second.
///
/// Throws: what the candidates throw.
void stream_samples(std::span<const candidate> candidates, const stream_settings& settings,
                    const nlohmann::ordered_json& ready);

/// Prints an event (case_record.hpp) as a line.
void print_event(const nlohmann::ordered_json& event);

/// Reads the round that stream_samples printed as a line; empty for any other line. Throws:
/// pleat::error or nlohmann::json::exception for a round that makes no sense.
[[nodiscard]] std::optional<sample_round> round_from(const nlohmann::ordered_json& line);

}  // namespace pleat::bench
