// SPDX-License-Identifier: Apache-2.0
#include "resumption.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "tool/command_files.hpp"

namespace pleat::bench {
namespace {

constexpr std::string_view suffix = ".part";

}  // namespace

journal_place place_of_journal(const std::string& json, const std::string& resume) {
  if (resume.empty()) {
    if (json.empty() || json == standard_stream) return {{}, json};
    return {json + std::string(suffix), json};
  }
  const std::string beside = resume + std::string(suffix);
  if (journal::is_one(resume)) {
    const bool named_so = resume.ends_with(suffix) && json.empty();
    return {resume, named_so ? resume.substr(0, resume.size() - suffix.size()) : json, true};
  }
  const bool is_output = json.empty() || json == resume;
  if (journal::is_one(beside)) return {beside, json.empty() ? resume : json, true};
  if (std::filesystem::exists(resume)) {
    if (is_output) return {{}, resume, false, true};
    throw usage_error("--resume: " + resume +
                      " is no journal of a sweep; name the file that --json named");
  }
  if (is_output) return {beside, resume};
  return {resume, json};
}

void replay(const journal_contents& contents, const nlohmann::ordered_json& machine,
            const std::filesystem::path& file, std::vector<case_record>& records) {
  const auto& header = contents.header;
  const auto names = header.value("cases", std::vector<std::string>{});
  if (!std::ranges::equal(names, records, {}, {},
                          [](const case_record& one) { return one.at.name(); }))
    throw usage_error(file.string() +
                      " is of a sweep of other cases; give it the same options, or none");
  if (header.value("machine", nlohmann::ordered_json()) != machine)
    throw usage_error(file.string() +
                      " was begun on another machine or by another build; begin anew");
  try {
    for (const auto& [index, event] : contents.events) records.at(index).apply(event);
  } catch (const std::exception&) {
    throw usage_error(file.string() + " was damaged: it tells what cannot have happened");
  }
}

}  // namespace pleat::bench
