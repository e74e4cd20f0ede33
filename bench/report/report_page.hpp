// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report_document.hpp"

namespace pleat::bench {

/// Returns an HTML page that shows the documents and loads no other file. Two sweeps that share
/// cases are also compared.
///
/// Throws: pleat::environment_error if the page without data is not there or damaged, saying what
/// to run; pleat::usage_error if a sweep lacks the keys of its cases.
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
