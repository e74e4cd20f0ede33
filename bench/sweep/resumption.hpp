// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "case_record.hpp"
#include "journal.hpp"

namespace pleat::bench {

/// Where the journal of a sweep is. A sweep that writes `F.json` keeps it in `F.json.part`; a file
/// of its own can be named too.
struct journal_place {
  std::filesystem::path file;  ///< empty: none is kept
  std::string json;            ///< where the results go
  bool begun = false;          ///< there is one to go on with
  bool finished = false;       ///< the results are there already, and no journal
};

/// `json` and `resume` as they were given on the command line, or empty. `resume` may name the
/// results or the journal; where there is neither, the sweep begins.
/// Throws: pleat::usage_error for a file that is neither.
[[nodiscard]] journal_place place_of_journal(const std::string& json, const std::string& resume);

/// Brings the records to where a journal left them.
/// Throws: pleat::usage_error if its cases are others, or its machine is (`machine` is compared
/// with the one in its header).
void replay(const journal_contents& contents, const nlohmann::ordered_json& machine,
            const std::filesystem::path& file, std::vector<case_record>& records);

}  // namespace pleat::bench
