// SPDX-License-Identifier: Apache-2.0
#include "sweep_comparison.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

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

}  // namespace pleat::bench
