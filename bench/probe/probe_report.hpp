// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/probe.hpp>

namespace pleat::bench {

/// A table of g and l of every level with their intervals, and of the time of every size.
[[nodiscard]] std::string probe_text(const std::vector<level_costs>& levels);

/// `[{label, object, processors, g{value,low,high}, l{…}, points[{bytes, median_s, samples_s[],
/// outliers}]}]`, times in seconds, g for a message of 8 bytes.
[[nodiscard]] nlohmann::ordered_json probe_json(const std::vector<level_costs>& levels);

/// Reads what probe_json wrote. Throws nlohmann::json::exception if it is something else.
[[nodiscard]] std::vector<level_costs> probe_from(const nlohmann::ordered_json& levels);

/// The document of a kept probe: `{version, machines, rounds, levels[]}`; none if another version
/// wrote it. Throws: pleat::error, naming `origin`, for text that is none, so that probe_from takes
/// the levels of what is returned.
[[nodiscard]] std::optional<nlohmann::ordered_json> parse_probe(std::string_view text,
                                                                const std::string& origin);

}  // namespace pleat::bench
