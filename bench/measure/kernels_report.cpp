// SPDX-License-Identifier: Apache-2.0
#include "kernels_report.hpp"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "tool/table.hpp"

namespace pleat::bench {
namespace {

std::string with_its_time(const kernel_candidate& candidate) {
  if (!candidate.ns) return candidate.name;
  std::array<char, 32> ns{};
  std::snprintf(ns.data(), ns.size(), " %.2f", *candidate.ns);
  return candidate.name + ns.data();
}

}  // namespace

std::string kernels_text(std::span<const kernel_choice> choices) {
  table lines({"work", "kernel", "why", "of these, with the ns of an element"});
  for (const kernel_choice& choice : choices) {
    std::string all;
    for (const kernel_candidate& candidate : choice.candidates)
      all += (all.empty() ? "" : ", ") + with_its_time(candidate);
    lines.add({choice.work, choice.candidates[choice.chosen].name,
               std::string(to_string(choice.why)), all});
  }
  std::string text = lines.text() + "\n";
  for (const kernel_choice& choice : choices) {
    std::string names;
    for (const std::string& name : choice.missing) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) text += "  compiled, but not for this processor: " + names + "\n";
  }
  return text;
}

nlohmann::ordered_json kernels_json(std::span<const kernel_choice> choices) {
  using nlohmann::ordered_json;
  ordered_json all = ordered_json::array();
  for (const kernel_choice& choice : choices) {
    ordered_json candidates = ordered_json::array();
    for (const kernel_candidate& candidate : choice.candidates)
      candidates.push_back({{"name", candidate.name},
                            {"ns", candidate.ns ? ordered_json(*candidate.ns) : ordered_json()}});
    all.push_back({{"work", choice.work},
                   {"chosen", choice.candidates[choice.chosen].name},
                   {"why", to_string(choice.why)},
                   {"candidates", candidates},
                   {"missing", choice.missing}});
  }
  return all;
}

}  // namespace pleat::bench
