// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace pleat::bench {

/// Text that `pleat compare` prints of the entries of one benchmark (an array of the `comparisons`
/// of its JSON): a heading and a table per measure, ours first, ratios > 1 where ours is faster.
/// Missing rivals are named with the package that brings them. Candidates whose samples differ too
/// much for a ratio (summary::unsteady) are named with what to do.
[[nodiscard]] std::string comparison_text(const nlohmann::ordered_json& comparisons);

}  // namespace pleat::bench
