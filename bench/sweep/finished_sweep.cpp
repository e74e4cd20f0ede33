// SPDX-License-Identifier: Apache-2.0
#include "finished_sweep.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "fields_json.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

json kept_of(const case_record& record) {
  json kept{{"visits", record.visits}, {"elapsed", record.seconds}};
  if (!record.missing.empty()) kept["ready"]["missing"] = record.missing;
  if (record.counted) kept["costs"] = record.costs ? json(fields_json(*record.costs)) : json();
  if (!record.ran.is_null()) kept["ran"] = record.ran;
  if (record.failure) kept["failed"] = *record.failure;
  return kept;
}

// Samples of one case in the form of a journal's events, with the library as the key.
struct case_entries {
  std::map<std::string, std::vector<json>> samples;
  json memory_pages, predicted;
};

std::map<std::string, case_entries> entries_of(const json& report) {
  std::map<std::string, case_entries> all;
  for (const auto& entry : report.at("benchmarks")) {
    if (entry.contains("error_occurred")) continue;
    const sweep_case at = case_from(entry);
    const auto library = entry.at("library").get<std::string>();
    case_entries& of = all[at.name()];
    if (entry.at("run_type") == "iteration") {
      const double call = static_cast<double>(at.batch) * 1e-3;  // the times are in milliseconds
      of.samples[library].push_back({library, call * entry.at("real_time").get<double>(),
                                     call * entry.at("cpu_time").get<double>(),
                                     entry.at("iterations").get<std::size_t>() / at.batch});
    } else if (is_ours(library) && entry.at("aggregate_name") == "median") {
      of.memory_pages = entry.value("memory_pages", json());
      of.predicted = entry.value("predicted_s", json());
    }
  }
  return all;
}

}  // namespace

json resumable_sweep(json header, std::span<const case_record> records) {
  header["records"] = json::array();
  for (const auto& one : records) header["records"].push_back(kept_of(one));
  return header;
}

journal_contents contents_of_finished(const json& report, const std::string& file) {
  try {
    const json& header = report.at("context").at("pleat").at("sweep");
    journal_contents contents{header, {}};
    contents.header.erase("records");
    auto entries = entries_of(report);
    for (std::size_t i = 0; i < header.at("records").size(); ++i) {
      const auto happened = [&](json event) { contents.events.emplace_back(i, std::move(event)); };
      json kept = header.at("records")[i];
      const auto visits = kept.at("visits").get<std::size_t>();
      const auto& of = entries[case_from(header.at("cases").at(i)).name()];
      std::size_t rounds = 0;
      for (const auto& [library, samples] : of.samples) rounds = std::max(rounds, samples.size());
      for (std::size_t k = 0; k < rounds; ++k) {
        json round = json::array();
        for (const auto& [library, samples] : of.samples)
          if (k < samples.size()) round.push_back(samples[k]);
        if (k < visits) happened({{"visit", true}});
        happened({{"round", std::move(round)}});
      }
      kept.erase("visits");
      kept["memory_pages"] = of.memory_pages;
      if (of.predicted.is_number()) kept["predicted"] = of.predicted;
      happened(std::move(kept));
    }
    return contents;
  } catch (const json::exception&) {
    throw usage_error(file +
                      " does not say how it was made, so that nothing can be added: it was " +
                      "written by an earlier version; sweep anew, or see pleat report --help");
  }
}

}  // namespace pleat::bench
