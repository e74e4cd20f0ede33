// SPDX-License-Identifier: Apache-2.0
#include "comparison_report.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/statistics.hpp"
#include "tool/readable.hpp"
#include "tool/table.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// Spread of samples; one sample has none.
std::string spread_text(const json& entry, double median, const json& quartiles) {
  if (entry.at("repetitions").get<std::size_t>() < 2) return "";
  const double half = (quartiles.at("high").get<double>() - quartiles.at("low").get<double>()) / 2;
  return "± " + readable_number(100 * half / median) + " %";
}

std::string heading(const json& entry) {
  const auto& style = stdout_emphasis();
  const auto type = entry.at("type").get<std::string>();
  const auto processors = entry.at("processors").get<unsigned>();
  return style.bold + entry.at("work").get<std::string>() + ": " +
         entry.at("measure").get<std::string>() + style.plain +
         ", n = " + readable_count(entry.at("n").get<std::size_t>()) +
         (type.empty() ? "" : " " + type) + ", " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors") + "\n";
}

// The absolute figures beside the time, in words.
std::string figures_text(const json& entry) {
  std::string text;
  auto add = [&](const char* key, const auto& words) {
    if (entry.contains(key)) text += "  " + words(entry.at(key).get<double>()) + "\n";
  };
  auto millions = [](const char* what) {
    return [what](double rate) { return readable_number(rate / 1e6) + " million " + what; };
  };
  add("bytes_per_vp", [](double bytes) { return readable_number(bytes) + " bytes per VP"; });
  add("items_per_second", millions("items/s"));
  add("messages_per_second_per_core", millions("messages/s per core"));
  add("operations_per_second", [](double rate) {
    return readable_number(rate / 1e9) + " billion multiplications and additions/s";
  });
  add("bytes_per_second_each_way",
      [](double rate) { return readable_number(rate / 1e9) + " GB/s each way"; });
  return text;
}

// Surcharge of ours over this rival, which is ours without something.
std::string surcharge_text(const json& entry) {
  if (!entry.contains("surcharge_s") || entry.at("ratio").is_null()) return "";
  const double more = entry.at("surcharge_s").get<double>();
  const double share = 100 * more / entry.at("rival_s").get<double>();
  return "  " + readable_time(std::abs(more)) + (more < 0 ? " less" : " more") + " than " +
         entry.at("rival").get<std::string>() + ", " + readable_number(std::abs(share)) + " %\n";
}

// Advice on candidates whose samples differ too much for a ratio.
std::string unsteady_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string listed;
  for (const auto& name : names) listed += (listed.empty() ? "" : ", ") + name;
  return "  no ratio: a quarter of the samples of " + listed + " took over " +
         std::to_string(static_cast<int>(most_apart)) +
         " times as long as the fastest; run nothing else, measure one rival alone by --rivals, " +
         "with OMP_WAIT_POLICY=passive, or with more --repetitions\n";
}

bool same_measure(const json& a, const json& b) {
  for (const char* key : {"work", "measure", "n", "type", "processors"}) {
    if (a.at(key) != b.at(key)) return false;
  }
  return true;
}

std::string one_measure(const std::vector<const json*>& entries) {
  const json& first = *entries.front();
  const double ours = first.at("ours_s").get<double>();
  table rows({"", "median", "spread", "ratio", "version"});
  rows.add({"pleat", readable_time(ours), spread_text(first, ours, first.at("ours_quartiles_s")),
            "", ""});
  std::string missing, surcharges;
  std::vector<std::string> unsteady;
  for (const json* entry : entries) {
    if (entry->at("rival").is_null()) continue;
    const auto rival = entry->at("rival").get<std::string>();
    if (entry->contains("missing_reason")) {
      missing += "  " + entry->at("missing_reason").get<std::string>() + "\n";
      continue;
    }
    if (entry->at("rival_s").is_null()) {
      const auto package = entry->at("missing_package").get<std::string>();
      missing +=
          "  " + rival + " was not there when this was built; it comes with " + package + "\n";
      continue;
    }
    const double theirs = entry->at("rival_s").get<double>();
    rows.add({rival, readable_time(theirs),
              spread_text(*entry, theirs, entry->at("rival_quartiles_s")),
              entry->at("ratio").is_null() ? "" : readable_number(entry->at("ratio").get<double>()),
              entry->at("rival_version").get<std::string>()});
    surcharges += surcharge_text(*entry);
    for (const auto& name : entry->value("unsteady", std::vector<std::string>()))
      if (std::ranges::find(unsteady, name) == unsteady.end()) unsteady.push_back(name);
  }
  const auto& style = stdout_emphasis();
  return heading(first) + rows.text(style.faint, style.plain, stdout_columns()) +
         figures_text(first) + surcharges + unsteady_text(unsteady) + missing;
}

}  // namespace

std::string comparison_text(const json& comparisons) {
  std::string text;
  std::vector<const json*> measure;
  for (const auto& entry : comparisons) {
    if (!measure.empty() && !same_measure(*measure.front(), entry)) {
      text += one_measure(measure) + "\n";
      measure.clear();
    }
    measure.push_back(&entry);
  }
  if (!measure.empty()) text += one_measure(measure) + "\n";
  return text;
}

}  // namespace pleat::bench
