// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pleat::bench {

/// Kind of a file that a report is made from.
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

/// Finds out which command wrote a document, and checks all of it that is shown.
/// Throws: pleat::usage_error, one line: not of Pleat's commands, or not as they write it.
[[nodiscard]] report_document document_from(nlohmann::ordered_json content, std::string file);

/// Reads the document from a file. Throws: pleat::usage_error, also if it cannot be read or is cut
/// short.
[[nodiscard]] report_document read_report_document(const std::string& file);

}  // namespace pleat::bench
