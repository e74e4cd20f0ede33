// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns an HTML page that shows the documents and loads no other file. Two sweeps that share
/// cases are also compared.
///
/// Throws: pleat::environment_error if the page without data is not there or damaged, saying what
/// to run.
[[nodiscard]] std::string report_page(std::span<const report_document> documents);

/// Checks that a page can be made, before a command starts long work. Throws:
/// pleat::environment_error as report_page does.
void require_page();

/// Path of the page for a user's argument `where`: that file if it ends in .html, else index.html
/// in that folder, which is made if it does not exist. "-" is standard output. Throws: pleat::error
/// if the folder cannot be made.
[[nodiscard]] std::filesystem::path page_target(const std::string& where);

/// Warnings of what happened on the machine while a result was made and has spoiled it: a line for
/// each, from `context.pleat.during` (or `context.during`) of its JSON. None where the file does
/// not say.
[[nodiscard]] std::vector<std::string> measured_warnings(const nlohmann::ordered_json& result);

}  // namespace pleat::bench
