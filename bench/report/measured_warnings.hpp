// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pleat::bench {

/// Warnings of what happened on the machine while a result was made and has spoiled it: a line for
/// each, from `context.pleat.during` (or `context.during`) of its JSON. None where the file does
/// not say.
[[nodiscard]] std::vector<std::string> measured_warnings(const nlohmann::ordered_json& result);

}  // namespace pleat::bench
