// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/probe.hpp>

namespace pleat::bench {

/// A table of g and l of every level with their intervals, and of the time of every size.
[[nodiscard]] std::string probe_text(const std::vector<level_costs>& levels);

/// `[{label, object, processors, g{value,low,high}, l{…}, points[{bytes, median_s, samples_s[],
/// outliers}]}]`, times in seconds, g for a message of 8 bytes.
[[nodiscard]] nlohmann::ordered_json probe_json(const std::vector<level_costs>& levels);

/// What probe_json wrote. Throws nlohmann::json::exception if it is something else.
[[nodiscard]] std::vector<level_costs> probe_from(const nlohmann::ordered_json& levels);

}  // namespace pleat::bench
