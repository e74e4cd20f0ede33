// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine_model.hpp>

#include "evaluated_program.hpp"

namespace pleat::bench {

/// A family of machines to predict communication times for.
struct model_family {
  std::string name;
  unsigned most_levels;  ///< its machines have 2 … 2^most_levels processors
  std::function<machine_model(unsigned levels)> machine;
  bool seconds = false;  ///< its times are seconds; else they have no unit
};

/// The networks of pleat/runtime/machine_model.hpp, of any size.
[[nodiscard]] const std::vector<model_family>& network_families();

/// The machine somebody described, and for fewer processors its clusters; `seconds`: measured.
[[nodiscard]] model_family family_of(const machine_model& whole, bool seconds = false);

/// Facts to report of one program at one size.
struct evaluation {
  const evaluated_program* program;
  evaluation_request request;
  cost_trace costs;                    ///< as requested
  cost_trace plain, dummied;           ///< without dummies, and with them
  std::vector<folded_costs> foldings;  ///< on the numbers of processors asked for, or 2, 4, …
  bool any_numbers = false;            ///< those that were asked for: no powers of two
  std::optional<tree_gap> gap;         ///< if it is asked for
  /// Runs on several inputs of the size: empty if one trace holds for all, else what differs.
  std::optional<std::string> difference;
  std::vector<double> sigmas;
  std::vector<model_family> models;
};

/// log2 of the most processors that communication times are predicted for.
inline constexpr unsigned most_predicted_levels = 16;

/// Tables for a terminal.
[[nodiscard]] std::string evaluation_text(const evaluation& of);

/// `program, n, v, labels[]{label, supersteps}, foldings[]{p, S[], F[], H, lower_bound, ratio},
/// folded[]{p, supersteps, degree, H, lower_bound, ratio} if numbers of processors were asked for,
/// wiseness, fullness, models[]{name, violated_condition, times[]{p, D}}` and more; H, lower_bound
/// and ratio are objects from σ to value. What is infinite or undefined is null.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const evaluation& of);

}  // namespace pleat::bench
