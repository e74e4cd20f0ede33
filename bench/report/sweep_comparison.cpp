// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "sweep_file.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using cases_by_name = std::map<std::string, const measured_case*>;

cases_by_name by_name(const sweep_file& sweep) {
  cases_by_name cases;
  for (const auto& one : sweep.cases) cases.emplace(one.name, &one);
  return cases;
}

void list_failures(std::vector<failed_case>& failed, const sweep_file& sweep) {
  for (const auto& one : sweep.cases) {
    if (!one.measured())
      failed.push_back({one.name, sweep.origin, one.failure.value_or("was not measured")});
  }
}

}  // namespace

std::size_t sweep_comparison::count(verdict what) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cases, [what](const compared_case& one) { return one.judged.what == what; }));
}

bool share_cases(const sweep_file& one, const sweep_file& other) {
  const auto cases = by_name(one);
  return std::ranges::any_of(other.cases,
                             [&](const measured_case& of) { return cases.contains(of.name); });
}

sweep_comparison compare_sweeps(const sweep_file& before, const sweep_file& after,
                                const verdict_settings& settings) {
  sweep_comparison result{before.origin, after.origin, settings, {}, {}, {}, {}};
  const auto old = by_name(before);
  std::vector<sample_pair> pairs;
  for (const auto& one : after.cases) {
    const auto partner = old.find(one.name);
    if (partner == old.end()) {
      result.only_after.push_back(one.name);
    } else if (one.measured() && partner->second->measured()) {
      const measured_case& was = *partner->second;
      pairs.push_back({was.samples, one.samples});
      result.cases.push_back({one.name,
                              one.keys,
                              was.median_s,
                              one.median_s,
                              was.samples.size(),
                              one.samples.size(),
                              {}});
    }
  }
  const auto fresh = by_name(after);
  for (const auto& one : before.cases) {
    if (!fresh.contains(one.name)) result.only_before.push_back(one.name);
  }
  list_failures(result.failed, before);
  list_failures(result.failed, after);
  if (result.cases.empty())
    throw usage_error(before.origin + " and " + after.origin +
                      " have no measured case in common; sweep both with the same options");
  const auto judged = judge(pairs, settings);
  for (std::size_t i = 0; i < judged.size(); ++i) result.cases[i].judged = judged[i];
  return result;
}

std::vector<std::string> doubts_about(const sweep_comparison& comparison, const sweep_file& before,
                                      const sweep_file& after) {
  std::vector<std::string> doubts;
  if (before.host_name != after.host_name)
    doubts.push_back("the sweeps were made on different machines (" + before.host_name + " and " +
                     after.host_name + "): their times differ for that reason alone");
  const auto few = static_cast<std::size_t>(
      std::ranges::count_if(comparison.cases, [&](const compared_case& one) {
        return !enough_samples(one.before_samples, one.after_samples, comparison.cases.size(),
                               comparison.settings.error);
      }));
  if (few > 0)
    doubts.push_back(std::to_string(few) + " of " + std::to_string(comparison.cases.size()) +
                     " cases have too few repetitions to show any difference among so many cases; "
                     "sweep with a smaller --precision, or fewer cases");
  return doubts;
}

nlohmann::ordered_json comparison_json(const sweep_comparison& comparison) {
  using json = nlohmann::ordered_json;
  json cases = json::array();
  for (const auto& one : comparison.cases) {
    const auto& ratio = one.judged.ratio;
    cases.push_back({{"name", one.name},
                     {"before_s", one.before_s},
                     {"after_s", one.after_s},
                     {"before_samples", one.before_samples},
                     {"after_samples", one.after_samples},
                     {"ratio", ratio.value},
                     {"ratio_low", ratio.range ? json(ratio.range->low) : json()},
                     {"ratio_high", ratio.range ? json(ratio.range->high) : json()},
                     {"p_different", one.judged.p_different},
                     {"p_same", one.judged.p_same},
                     {"verdict", name_of(one.judged.what)}});
  }
  json failed = json::array();
  for (const auto& one : comparison.failed)
    failed.push_back({{"name", one.name}, {"file", one.origin}, {"message", one.message}});
  return {{"context",
           {{"before", comparison.before},
            {"after", comparison.after},
            {"band", comparison.settings.band},
            {"error", comparison.settings.error}}},
          {"cases", std::move(cases)},
          {"only_before", comparison.only_before},
          {"only_after", comparison.only_after},
          {"failed", std::move(failed)}};
}

std::vector<rival_ratio> rival_ratios(const sweep_file& sweep) {
  std::vector<rival_ratio> ratios;
  for (const auto& rival : sweep.cases) {
    if (is_ours(rival.keys.library) || !rival.measured()) continue;
    const auto ours = std::ranges::find_if(sweep.cases, [&](const measured_case& one) {
      return is_ours(one.keys.library) && one.keys.at == rival.keys.at && one.measured();
    });
    if (ours == sweep.cases.end()) continue;
    ratios.push_back({&rival, &*ours, rival.median_s / ours->median_s,
                      ratio_of_times(ours->samples, rival.samples).range});
  }
  return ratios;
}

namespace {

std::string three_decimals(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string probability(double p) { return p < 0.001 ? "< 0.001" : three_decimals(p); }

std::string range_text(const time_ratio& ratio) {
  if (!ratio.range) return "too few samples";
  return three_decimals(ratio.range->low) + " … " + three_decimals(ratio.range->high);
}

// The probability that the verdict is wrong: of `undecided`, what kept it from being a difference.
double probability_of(const judgement& judged) {
  return judged.what == verdict::same ? judged.p_same : judged.p_different;
}

struct key_column {
  const char* name;
  std::string (*value)(const case_keys&);
};

constexpr std::array key_columns{
    key_column{"program", [](const case_keys& k) { return k.at.program; }},
    key_column{"library", [](const case_keys& k) { return k.library; }},
    key_column{"type", [](const case_keys& k) { return k.at.type; }},
    key_column{"distribution", [](const case_keys& k) { return k.at.distribution; }},
    key_column{"n", [](const case_keys& k) { return readable_count(k.at.n); }},
    key_column{"processors", [](const case_keys& k) { return std::to_string(k.at.processors); }},
    key_column{"ranks", [](const case_keys& k) { return std::to_string(k.at.ranks.value_or(0)); }},
    key_column{"mpi", [](const case_keys& k) { return k.at.mpi.value_or(""); }},
    key_column{"place", [](const case_keys& k) { return k.at.place; }},
    key_column{"memory", [](const case_keys& k) { return k.at.memory; }},
    key_column{"pages", [](const case_keys& k) { return k.at.pages; }},
    key_column{"wait", [](const case_keys& k) { return k.at.wait; }},
    key_column{"hardware threads", [](const case_keys& k) { return k.at.hardware_threads(); }},
    key_column{"scaling", [](const case_keys& k) { return k.at.scaling(); }}};

// Chooses the columns in which the cases differ, and always program, n and processors.
std::vector<key_column> columns_of(const sweep_comparison& comparison) {
  std::vector<key_column> chosen;
  for (const auto& column : key_columns) {
    const std::string_view name = column.name;
    const auto first = column.value(comparison.cases.front().keys);
    const bool differ = std::ranges::any_of(comparison.cases, [&](const compared_case& one) {
      return column.value(one.keys) != first;
    });
    if (differ || name == "program" || name == "n" || name == "processors")
      chosen.push_back(column);
  }
  return chosen;
}

std::string table_text(const sweep_comparison& comparison) {
  const auto columns = columns_of(comparison);
  std::vector<std::string> header;
  for (const auto& column : columns) header.emplace_back(column.name);
  header.insert(header.end(), {"before", "after", "ratio", "95 % interval", "p", "verdict"});
  table rows(header);
  for (const auto& one : comparison.cases) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(column.value(one.keys));
    cells.insert(cells.end(),
                 {readable_time(one.before_s), readable_time(one.after_s),
                  three_decimals(one.judged.ratio.value), range_text(one.judged.ratio),
                  probability(probability_of(one.judged)), std::string(name_of(one.judged.what))});
    rows.add(std::move(cells));
  }
  const auto& style = stdout_emphasis();
  return rows.text(style.bold, style.plain, stdout_columns());
}

std::string listed(std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = std::string(title) + ":\n";
  for (const auto& name : names) text += "  " + printable(name) + "\n";
  return text;
}

}  // namespace

std::string comparison_text(const sweep_comparison& comparison) {
  std::string text = table_text(comparison) + "\n";
  for (const auto what : {verdict::faster, verdict::slower, verdict::same, verdict::undecided})
    text += (what == verdict::faster ? "" : ", ") + std::to_string(comparison.count(what)) + " " +
            std::string(name_of(what));
  text += "; the same is within " + readable_number(100 * comparison.settings.band) +
          " %, at most " + readable_number(100 * comparison.settings.error) +
          " % wrong verdicts in all\n";
  text += listed("Only in " + printable(comparison.before), comparison.only_before);
  text += listed("Only in " + printable(comparison.after), comparison.only_after);
  std::vector<std::string> failed;
  for (const auto& one : comparison.failed)
    failed.push_back(one.name + " in " + one.origin + ": " + one.message);
  return text + listed("Not measured", failed);
}

}  // namespace pleat::bench
