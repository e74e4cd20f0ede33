// SPDX-License-Identifier: Apache-2.0
#include "resumption.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "fields_json.hpp"
#include "report/report_document.hpp"
#include "tool/output_file.hpp"

namespace pleat::bench {
namespace {

constexpr std::string_view suffix = ".part";

}  // namespace

journal_place place_of_journal(const std::string& json, const std::string& resume) {
  if (resume.empty()) {
    if (json.empty() || json == standard_stream) return {{}, json};
    return {json + std::string(suffix), json};
  }
  // The name of the results, if the journal was named.
  const std::string results = resume.ends_with(suffix) && resume.size() > suffix.size()
                                  ? resume.substr(0, resume.size() - suffix.size())
                                  : resume;
  const bool named_journal = results != resume;
  const auto is_whole = [](const std::string& file) {
    return journal::look_at(file) == journal::found::whole;
  };
  if (is_whole(resume)) return {resume, named_journal && json.empty() ? results : json, true};
  const std::string beside = results + std::string(suffix);
  if (is_whole(beside)) return {beside, json.empty() ? results : json, true};
  const bool is_output = json.empty() || json == results;
  if (journal::look_at(results) == journal::found::other) {
    if (is_output && read_report_document(results).kind == document_kind::sweep)
      return {beside, results, false, true};
    throw usage_error("--resume: " + results +
                      " is no journal of a sweep; name the file that --json named");
  }
  if (is_output) return {beside, results};
  return {resume, json};
}

journal_header header_from(const nlohmann::ordered_json& header,
                           const std::filesystem::path& file) {
  try {
    journal_header read{
        fields_from<sweep_arguments>(header.at("arguments")), {}, header.at("machine")};
    for (const auto& one : header.at("cases")) read.cases.push_back(case_from(one));
    return read;
  } catch (const nlohmann::json::exception&) {
    throw usage_error(file.string() + " does not say what it is a sweep of: it was damaged, or " +
                      "written by another version; remove it and begin anew");
  }
}

sweep_arguments journal_header::changed(const sweep_arguments& chosen,
                                        std::span<const std::string> given,
                                        const std::filesystem::path& file) const {
  const auto now = fields_json(chosen);
  auto all = fields_json(arguments);
  bool rule = false, number = false;
  for (const auto& option : given) {
    std::string name = option;
    std::ranges::replace(name, '-', '_');
    if (!now.contains(name)) continue;
    if ((name == "min_time" || name == "seed" || name == "rivals") &&
        all.value(name, nlohmann::ordered_json()) != now[name])
      throw usage_error(file.string() + " was begun with another --" + option +
                        "; leave that option out");
    rule = rule || name == "precision" || name == "time_limit";
    number = number || name == "repetitions";
    all[name] = now[name];
  }
  if (rule && !number) all["repetitions"] = "";
  return fields_from<sweep_arguments>(all);
}

void journal_header::require_machine(const nlohmann::ordered_json& now,
                                     const std::filesystem::path& file) const {
  if (machine != now)
    throw usage_error(file.string() +
                      " was begun on another machine or by another build; begin anew");
}

void journal_header::replay(const journal_contents& contents, const std::filesystem::path& file,
                            std::vector<case_record>& records) const {
  if (!std::ranges::equal(cases, records, {}, {}, &case_record::at))
    throw usage_error(file.string() + " is of a sweep of other cases; leave out " +
                      "--n, --processors and all else that says what is measured");
  try {
    for (const auto& [index, event] : contents.events) records.at(index).apply(event);
  } catch (const std::exception&) {
    throw usage_error(file.string() + " was damaged: it tells what cannot have happened");
  }
}

using json = nlohmann::ordered_json;

json resumable_sweep(json header, std::span<const case_record> records,
                     std::span<const sweep_result> results) {
  header["records"] = json::array();
  for (const auto& record : records) {
    header["records"].push_back(record.events);
    const auto result = std::ranges::find(results, record.at, &sweep_result::at);
    if (result == results.end()) continue;
    for (const auto& one : result->libraries)
      if (one.predicted) header["records"].back().push_back({{"predicted", *one.predicted}});
  }
  return header;
}

journal_contents contents_of_finished(const json& report, const std::string& file) {
  try {
    journal_contents contents{report.at("context").at("pleat").at("sweep"), {}};
    const json records = contents.header.at("records");
    contents.header.erase("records");
    for (std::size_t i = 0; i < records.size(); ++i)
      for (const auto& event : records.at(i)) contents.events.emplace_back(i, event);
    return contents;
  } catch (const json::exception&) {
    throw usage_error(file +
                      " does not say how it was made, so that nothing can be added: it was " +
                      "written by an earlier version; sweep anew, or see pleat report --help");
  }
}

}  // namespace pleat::bench
