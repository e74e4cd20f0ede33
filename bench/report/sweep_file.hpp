// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/statistics.hpp"
#include "sweep/sweep_case.hpp"

namespace pleat::bench {

/// Keys that set a case apart from others of its sweep.
struct case_keys {
  sweep_case at;        ///< empty texts and zeros where the file does not say them
  std::string library;  ///< "pleat" or a rival's name

  /// Tells whether it says program, n and processors: files of Pleat 0.1 did not.
  [[nodiscard]] bool known() const { return !at.program.empty() && at.n > 0 && at.processors > 0; }

  friend bool operator==(const case_keys&, const case_keys&) = default;
};

/// Case of a sweep, as its file has it.
struct measured_case {
  std::string name;  ///< run_name: no other case of the file has it
  case_keys keys;
  std::vector<double> samples;         ///< seconds, one for each repetition; empty if it failed
  std::optional<std::string> failure;  ///< why
  double median_s = 0;
  std::optional<interval> median_within;  ///< of the samples, at 95 %
  // Figures that the sweep computed.
  std::optional<double> speedup;
  std::optional<double> efficiency;
  std::optional<double> predicted_s;

  [[nodiscard]] bool measured() const { return !samples.empty(); }
};

/// Content of a file of `pleat sweep --json`.
struct sweep_file {
  std::string origin;     ///< the file's name, for messages
  std::string host_name;  ///< empty if it is not in the file
  std::string date;
  std::vector<measured_case> cases;  ///< in the order of the file

  /// Tells whether the keys of every case are known.
  [[nodiscard]] bool has_keys() const;
  /// Throws: pleat::usage_error if not.
  void require_keys() const;
};

/// Throws: pleat::usage_error naming `origin` and what in the document is not as a sweep writes it.
[[nodiscard]] sweep_file sweep_from(const nlohmann::ordered_json& document,
                                    const std::string& origin);

}  // namespace pleat::bench
