// SPDX-License-Identifier: Apache-2.0
#include "sweep_rivals.hpp"

#include <algorithm>

#include <pleat/runtime/error.hpp>

#include "tool/rivals_program.hpp"

namespace pleat::bench {

std::map<std::string, std::vector<std::string>> rivals_of_programs(
    std::span<const case_record> records, const std::vector<std::string>& wanted) {
  const auto known = ask_rivals({"--list"});
  std::vector<nlohmann::ordered_json> benchmarks;
  for (const auto& benchmark : known.at("benchmarks"))
    if (std::ranges::any_of(records, [&](const case_record& one) {
          return benchmark.at("name") == one.at.program;
        }))
      benchmarks.push_back(benchmark);
  check_rivals(known.at("rivals"), wanted, benchmarks);
  std::map<std::string, std::vector<std::string>> programs;
  for (const auto& benchmark : benchmarks) {
    const auto program = benchmark.at("name").get<std::string>();
    for (const auto& rival : benchmark.at("rivals").get<std::vector<std::string>>()) {
      if (wanted.empty() || std::ranges::find(wanted, rival) != wanted.end())
        programs[program].push_back(rival);
    }
  }
  for (const auto& rival : wanted) {
    if (std::ranges::none_of(programs, [&](const auto& one) {
          return std::ranges::find(one.second, rival) != one.second.end();
        }))
      throw usage_error("--rivals: " + rival + " takes part in none of the programs swept");
  }
  // Without names, each program chooses its rivals, since some take very long.
  if (wanted.empty()) {
    for (auto& [program, rivals] : programs) rivals.clear();
  }
  return programs;
}

}  // namespace pleat::bench
