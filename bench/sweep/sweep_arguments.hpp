// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sweep.hpp"
#include "sweep_axes.hpp"
#include "sweep_outputs.hpp"

namespace pleat::bench {

/// What was chosen on the command line of a sweep, as it was written.
struct sweep_arguments {
  sweep_axes axes;
  std::string repetitions, precision = "2%", time_limit = "5", seconds = "0.01", seed = "1";
  std::optional<std::string> rivals;  // given without a value: all
  output_names outputs;

  friend bool operator==(const sweep_arguments&, const sweep_arguments&) = default;
};

/// As a journal keeps them, and back. Throws: nlohmann::json::exception where a key is missing.
[[nodiscard]] nlohmann::ordered_json arguments_json(const sweep_arguments& chosen);
[[nodiscard]] sweep_arguments arguments_from(const nlohmann::ordered_json& said);

/// All but the rivals, which depend on the cases. Throws: pleat::usage_error naming the option that
/// makes no sense.
[[nodiscard]] sweep_settings settings_of(const sweep_arguments& chosen);

}  // namespace pleat::bench
