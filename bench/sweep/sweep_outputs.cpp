// SPDX-License-Identifier: Apache-2.0
#include "sweep_outputs.hpp"

#include <vector>

#include <nlohmann/json.hpp>

#include "sweep_report.hpp"
#include "tool/command_files.hpp"
#include "tool/tool.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;
using results = std::span<const sweep_result>;

std::string json_text(results all, const json& context) {
  return google_benchmark_report(all, context).dump(2) + "\n";
}
std::string csv_text(results all, const json&) { return sweep_csv(all); }
std::string markdown_text(results all, const json&) { return sweep_markdown(all); }
std::string extra_p_text(results all, const json&) { return sweep_extra_p(all); }
std::string table_text(results all, const json&) { return sweep_text(all); }

}  // namespace

void output_names::check() const {
  std::vector<command_file> files;
  auto add = [&](const char* option, const std::string& name) {
    if (!name.empty()) files.push_back({option, name, file_use::report});
  };
  add("--json", json);
  add("--csv", csv);
  add("--markdown", markdown);
  add("--extra-p", extra_p);
  check_files(files);
}

json outputs_json(const output_names& names) {
  return {{"json", names.json},
          {"csv", names.csv},
          {"markdown", names.markdown},
          {"extra_p", names.extra_p}};
}

output_names outputs_from(const json& said) {
  return {said.at("json"), said.at("csv"), said.at("markdown"), said.at("extra_p")};
}

sweep_outputs::sweep_outputs(const output_names& names) : to_stdout_(table_text) {
  add(names.json, json_text);
  add(names.csv, csv_text);
  add(names.markdown, markdown_text);
  add(names.extra_p, extra_p_text);
}

void sweep_outputs::add(const std::string& name, form text) {
  if (name == standard_stream)
    to_stdout_ = text;
  else if (!name.empty())
    files_.emplace_back(name, text);
}

void sweep_outputs::write(results all, const json& context) {
  for (auto& one : files_) {
    one.file.write(one.text(all, context));
    one.file.commit();
  }
  print(all, context);
}

void sweep_outputs::print(results all, const json& context) {
  print_data(to_stdout_(all, context));
}

}  // namespace pleat::bench
