// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine_model.hpp>

#include "case_request.hpp"
#include "sweep_case.hpp"

namespace pleat::bench {

/// Costs of a run of a case: in the model, counted once and kept as numbers, and of contention.
struct case_costs {
  std::size_t vps = 0;
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> supersteps;             ///< [label]: S^label
  std::vector<std::vector<std::uint64_t>> messages;  ///< [j][label], label < j: F^label(2^j)
  double contention = 1;                             ///< of its processors: contention.hpp

  /// D(n, p, g, l) on the D-BSP in seconds: Σ F^i·g_i + S^i·l_i over the labels that cross the
  /// model's processors, elements of `element_bytes` each; g is for a message of 8 bytes.
  [[nodiscard]] double communication(const machine_model& model) const;

  /// Visits the fields, as fields_json.hpp wants it.
  static void each_field(auto& costs, const auto& f) {
    f("v", costs.vps);
    f("element_bytes", costs.element_bytes);
    f("S", costs.supersteps);
    f("F", costs.messages);
    f("contention", costs.contention);
  }
};

[[nodiscard]] case_costs costs_of(const cost_trace& trace, std::size_t element_bytes);

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
  std::vector<nlohmann::ordered_json> events;  ///< all that were applied

  /// Throws: nlohmann::json::exception for what is no event.
  void apply(const nlohmann::ordered_json& event);

  /// Rounds of all visits.
  [[nodiscard]] std::size_t rounds() const;
};

}  // namespace pleat::bench
