// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "json_file.hpp"
#include "report_document.hpp"
#include "sweep_file.hpp"
#include "tool/output_file.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

struct report_arguments {
  std::vector<std::string> files;
  std::optional<std::string> html;
  std::optional<std::string> band;
  bool json = false;
};

void write_page(const report_arguments& chosen, const std::vector<report_document>& documents) {
  const std::string page = report_page(documents);
  const auto target = page_target(*chosen.html);
  std::vector<command_file> files{{"--html", target.string(), file_use::report}};
  for (const auto& name : chosen.files) files.push_back({"FILE", name, file_use::read});
  check_files(files);
  output_file to(target);
  to.write(page);
  to.commit();
}

// Repeats the warnings of the measurement, which the reader of its results may not have seen.
void warn_about(const report_document& document) {
  for (const auto& warning : measured_warnings(document.content))
    warn(document.file + ": when it was measured, " + warning);
}

void compare(const report_arguments& chosen, const std::vector<report_document>& documents) {
  const auto before = sweep_from(documents[0].content, documents[0].file);
  const auto after = sweep_from(documents[1].content, documents[1].file);
  verdict_settings settings;
  if (chosen.band) settings.band = parse_share(*chosen.band, "--band");
  const auto comparison = compare_sweeps(before, after, settings);
  for (const auto& doubt : doubts_about(comparison, before, after)) warn(doubt);
  print_data(chosen.json ? json_text(comparison_json(comparison), 2) + "\n"
                         : comparison_text(comparison));
}

void show(const report_document& document) {
  print_data(scaling_text(sweep_from(document.content, document.file)));
}

void report(const report_arguments& chosen) {
  std::vector<report_document> documents;
  for (const auto& file : chosen.files) documents.push_back(read_report_document(file));
  if (chosen.html) return write_page(chosen, documents);
  const auto other = std::ranges::find_if(
      documents, [](const report_document& one) { return one.kind != document_kind::sweep; });
  if (other != documents.end())
    throw usage_error(other->file + ": only a page shows a " + std::string(name_of(other->kind)) +
                      "; add --html FILE");
  if (documents.size() > 2)
    throw usage_error("report: " + std::to_string(documents.size()) +
                      " sweeps; give two to compare them, or --html FILE for a page of all");
  for (const auto& document : documents) warn_about(document);
  if (documents.size() == 2) return compare(chosen, documents);
  if (chosen.json || chosen.band)
    throw usage_error("report: --json and --band are about a comparison; give two sweeps");
  show(documents.front());
}

}  // namespace

void add_report_command(tool_command& tool) {
  auto chosen = std::make_shared<report_arguments>();
  auto command = add_study(tool, "report");
  command
      .add_option("FILE", chosen->files,
                  "What sweep --json wrote; for a page also what matrix "
                  "--json, topology --json and run --trace wrote")
      .required();
  auto html = command.add_option("--html", chosen->html,
                                 "Write one page that needs nothing else to this .html file, or as "
                                 "index.html to this folder",
                                 "FILE|DIR");
  auto json = command.add_flag("--json", chosen->json, "Print a comparison as JSON");
  json.excludes(html);
  command
      .add_option(
          "--band", chosen->band,
          "Ratios up to this far from 1 count as the same in a comparison; 2% unless chosen",
          "SHARE")
      .excludes(html);
  command.footer(R"(Examples:
  pleat report sweep.json                      tables and bars, in the terminal
  pleat report old.json new.json               faster, slower, same or undecided
  pleat report sweep.json matrix.json --html report.html

One sweep: speed-up beside the ideal and times by n. Two: each case that both have, by the
Mann-Whitney test on all repetitions against the band, corrected for the number of cases (Holm), so
that at most 5 % of comparisons of identical programs call any case faster or slower.)");
  command.callback([chosen] { report(*chosen); });
}

}  // namespace pleat::bench
