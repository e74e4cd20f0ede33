// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pleat::bench {

/// What a file that a report is made from says.
enum class document_kind {
  sweep,     ///< pleat sweep --json
  matrix,    ///< pleat matrix --json
  timeline,  ///< pleat run --trace
  topology   ///< pleat topology --json
};

[[nodiscard]] std::string_view name_of(document_kind kind);

struct report_document {
  std::string file;
  document_kind kind;
  nlohmann::ordered_json content;
};

/// Reads a file and finds out which command wrote it.
/// Throws: pleat::usage_error, one line: cannot be read, cut short, not of Pleat's commands.
[[nodiscard]] report_document read_report_document(const std::string& file);

}  // namespace pleat::bench
