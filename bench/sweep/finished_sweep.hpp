// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "case_record.hpp"
#include "journal.hpp"

namespace pleat::bench {

/// Record that the results of a sweep keep as `context.pleat.sweep`, so that they can be gone on
/// with: the header of its journal, and of each case what its entries do not say.
[[nodiscard]] nlohmann::ordered_json resumable_sweep(nlohmann::ordered_json header,
                                                     std::span<const case_record> records);

/// The journal that leads to these results: its samples are those of the entries.
/// Throws: pleat::usage_error naming the file if it keeps no `context.pleat.sweep`, or one that
/// does not fit its entries.
[[nodiscard]] journal_contents contents_of_finished(const nlohmann::ordered_json& report,
                                                    const std::string& file);

}  // namespace pleat::bench
