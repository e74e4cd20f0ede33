// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/probe.hpp>

#include "tool/machine_arguments.hpp"

namespace pleat::bench {

/// Tables of g and l of every level with their intervals, and of the time of every message size.
[[nodiscard]] std::string probe_text(const std::vector<level_costs>& levels);

/// `[{label, object, processors, g{value,low,high}, l{…}, points[{bytes, median_s, samples_s[],
/// outliers}]}]`, times in seconds, g for a message of 8 bytes.
[[nodiscard]] nlohmann::ordered_json probe_json(const std::vector<level_costs>& levels);

/// Reads what probe_json wrote. Throws nlohmann::json::exception if it is something else.
[[nodiscard]] std::vector<level_costs> probe_from(const nlohmann::ordered_json& levels);

/// Parses a kept probe: `{version, machines, rounds, levels[]}`, whose levels probe_from accepts.
/// Returns nullopt if another version wrote it. Throws: pleat::error naming `origin` for text that
/// is no probe.
[[nodiscard]] std::optional<nlohmann::ordered_json> parse_probe(std::string_view text,
                                                                const std::string& origin);

/// Parses a machine model that a user wrote in JSON:
///
///     {"name": "two sockets", "g": [4, 1, 1], "l": [900, 300, 120]}
///
/// Entry i of `g` and `l` is for messages and supersteps in i-clusters, outermost first, so three
/// entries describe eight processors; `g` is above 0, `l` 0 or more, in any one unit. Other keys
/// are left alone: there is room for notes.
///
/// `origin` names the text in errors.
/// Throws: pleat::usage_error, one line that says what is wrong and what to do: no JSON, not an
/// object, a key that is missing or of the wrong type, no entries or more than 64, unequal lengths,
/// values that are no numbers or out of range (NaN and infinities are not JSON).
[[nodiscard]] machine_model parse_model(std::string_view text, const std::string& origin);

/// Reads the model in a file. Throws: as parse_model and read_json_file do.
[[nodiscard]] machine_model read_model(const std::string& file);

/// Runs pleat::probe with a progress bar on stderr, and a warning if the machine was too slow to
/// take all samples.
[[nodiscard]] std::vector<level_costs> announced_probe(const machine_options& on,
                                                       const probe_options& options);

/// Measures the machine that the arguments choose: `{version, context, machines, rounds, seed,
/// levels[]}`, with levels as of probe_json. Warns on stderr of what distorts the figures.
[[nodiscard]] nlohmann::ordered_json measured_probe(const machine_arguments& chosen,
                                                    const probe_options& options);

/// Returns the document kept for these processors; if there is none, measures and keeps one.
/// `exactly`: also measures if the kept document was measured with other options.
[[nodiscard]] nlohmann::ordered_json kept_probe(const machine_arguments& chosen,
                                                const probe_options& options, bool exactly = false);

}  // namespace pleat::bench
