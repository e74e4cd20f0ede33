// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <nlohmann/json.hpp>

#include "report/json_file.hpp"
#include "report/sweep_file.hpp"
#include "sweep_result.hpp"
#include "sweep_session.hpp"
#include "tool/output_file.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;
using results = std::span<const sweep_result>;

std::string report_text(results all, const json& context) {
  return json_text(google_benchmark_report(all, context), 2) + "\n";
}
std::string csv_text(results all, const json&) { return sweep_csv(all); }
std::string markdown_text(results all, const json&) { return sweep_markdown(all); }
std::string extra_p_text(results all, const json&) { return sweep_extra_p(all); }
std::string table_text(results all, const json&) { return sweep_text(all); }

}  // namespace

void output_names::check(const std::string& journal) const {
  std::vector<command_file> files;
  auto add = [&](const char* option, const std::string& name) {
    if (!name.empty()) files.push_back({option, name, file_use::report});
  };
  add("--json", json);
  add("--csv", csv);
  add("--markdown", markdown);
  add("--extra-p", extra_p);
  if (!html.empty()) files.push_back({"--html", page_target(html).string(), file_use::report});
  if (!journal.empty()) files.push_back({"the journal", journal, file_use::report});
  if (!against.empty()) files.push_back({"--against", against, file_use::read});
  check_files(files);
}

sweep_outputs::sweep_outputs(const output_names& names) : to_stdout_(table_text) {
  add(names.json, report_text);
  add(names.csv, csv_text);
  add(names.markdown, markdown_text);
  add(names.extra_p, extra_p_text);
  if (!names.against.empty()) {
    against_ = read_report_document(names.against);
    static_cast<void>(sweep_from(against_->content, against_->file));
  }
  if (!names.html.empty()) {
    require_page();
    page_ = page_target(names.html).string();
    if (page_ == standard_stream)
      to_stdout_ = nullptr;
    else
      static_cast<void>(output_file(page_));
  }
}

void sweep_outputs::add(const std::string& name, form text) {
  if (name == standard_stream)
    to_stdout_ = text;
  else if (!name.empty()) {
    static_cast<void>(output_file(name));  // which throws if it cannot be written
    files_.push_back({name, text});
  }
}

void sweep_outputs::write(results all, const json& context) {
  auto write_whole = [](const std::string& name, const std::string& text) {
    output_file file(name);
    file.write(text);
    file.commit();
  };
  for (const auto& one : files_) write_whole(one.name, one.text(all, context));
  const report_document now{"this sweep", document_kind::sweep,
                            google_benchmark_report(all, context)};
  if (!page_.empty()) {
    std::vector<report_document> shown{now};
    if (against_) shown.insert(shown.begin(), *against_);
    write_whole(page_, report_page(shown));
  }
  print(all, context);
  if (against_) compare_with(*against_, now);
}

// Prints the comparison, on standard error where standard output is for data of another form.
void sweep_outputs::compare_with(const report_document& before,
                                 const report_document& after) const {
  const auto old_sweep = sweep_from(before.content, before.file);
  const auto new_sweep = sweep_from(after.content, after.file);
  const auto comparison = compare_sweeps(old_sweep, new_sweep);
  for (const auto& doubt : doubts_about(comparison, old_sweep, new_sweep)) warn(doubt);
  const auto text = "\n" + comparison_text(comparison);
  if (to_stdout_ == table_text)
    print_data(text);
  else
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void sweep_outputs::print(results all, const json& context) {
  if (to_stdout_ != nullptr) print_data(to_stdout_(all, context));
}

}  // namespace pleat::bench
