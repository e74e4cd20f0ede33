// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report_document.hpp"

namespace pleat::bench {

/// One HTML page that shows the documents, with all it needs inside. Two sweeps
/// that share cases are also compared.
///
/// Throws: pleat::environment_error if the page without data is not there or damaged, saying what
/// to run; pleat::usage_error if a sweep lacks the keys of its cases.
[[nodiscard]] std::string report_page(std::span<const report_document> documents);

/// Requires the parts of a page, for a command that will want one when long work is done. Throws:
/// pleat::environment_error as report_page does.
void require_page();

/// Path of a page that the user wants at `where`: that file if it ends in .html, else index.html in
/// that folder, which is made if it is not there. "-" is standard output. Throws: pleat::error if
/// the folder cannot be made.
[[nodiscard]] std::filesystem::path page_target(const std::string& where);

}  // namespace pleat::bench
