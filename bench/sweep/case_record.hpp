// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "case_costs.hpp"
#include "sample_stream.hpp"
#include "sweep_case.hpp"

namespace pleat::bench {

/// All samples of one library, in the order they were taken.
struct library_samples {
  std::string library;          ///< "pleat" or a rival
  std::vector<sample> samples;  ///< of one operation each, also where a call is a batch of them

  [[nodiscard]] std::vector<double> seconds() const;
};

/// Record of a case so far. It changes by events alone, the lines of a journal, so that a sweep
/// that is resumed knows what the interrupted one knew:
///
///     {"visit": true}                                      a process was started for it
///     {"ready": {…}, "elapsed": s}                         it is warm; says which rivals are
///     missing
///     {"round": [[library, s, cpu s, calls], …], "elapsed": s}    means over the calls
///     {"costs": {…}} or {"costs": null, "reason": "…"}     what the model says
///     {"memory_pages": {…}}                                where its arrays were after the last
///     round
///     {"ran": {"threads": n, "pus": "0,1", "migrations": n}}      how a command ran
///     {"failed": "…"}                                      it cannot be measured
///     {"predicted": s}                                     what the model said, of all samples
struct case_record {
  sweep_case at;
  std::vector<library_samples> libraries;
  std::size_t visits = 0;         ///< that took samples
  std::size_t visit_samples = 0;  ///< rounds of the last visit
  double visit_seconds = 0;       ///< since the last visit began
  double seconds = 0;             ///< of all visits
  std::optional<std::string> failure;
  bool counted = false;             ///< whether costs were asked for
  std::optional<case_costs> costs;  ///< none where the model says nothing of it
  std::optional<double> predicted;  ///< seconds, where it was while nothing was measured since
  std::vector<std::pair<std::string, std::string>> missing;  ///< rivals, and why
  nlohmann::ordered_json ran;                                ///< null but for a command
  nlohmann::ordered_json memory_pages;  ///< pages of the data on each node; null if not known

  /// Throws: nlohmann::json::exception for what is no event.
  void apply(const nlohmann::ordered_json& event);

  /// Rounds of all visits.
  [[nodiscard]] std::size_t rounds() const;
};

}  // namespace pleat::bench
