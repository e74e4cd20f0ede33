// SPDX-License-Identifier: Apache-2.0
#include "rivals_program.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "tool/names.hpp"
#include "tool/outcome.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {

using json = nlohmann::ordered_json;

rivals_answer answer_of_rivals(const std::vector<std::string>& arguments,
                               const environment_changes& environment) {
  const auto result = run_child(companion_program("pleat-rivals"), arguments, environment);
  rivals_answer given{result.exit_code, json::parse(result.output, nullptr, false)};
  if (given.document.is_discarded()) given.document = nullptr;
  const int signal = result.exit_code - 128;
  if (signal > 0 && signal != SIGINT && signal != SIGTERM && signal != SIGHUP) {
    note("pleat-rivals was ended by signal " + std::to_string(signal) +
         "; leave rivals out with --rivals to find the one at fault");
    given.exit_code = 1;
  }
  return given;
}

json ask_rivals(const std::vector<std::string>& arguments) {
  auto given = answer_of_rivals(arguments);
  if (given.exit_code != 0) throw finished{given.exit_code};  // it has said why
  if (given.document.is_null()) throw error("pleat-rivals printed no answer; install pleat again");
  return std::move(given.document);
}

std::string names_in(const json& list) {
  return names_of(list, [](const json& one) { return one.at("name").get<std::string>(); });
}

std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const auto name = list.substr(0, list.find(','));
    names.emplace_back(name);
    list.remove_prefix(std::min(list.size(), name.size() + 1));
  }
  return names;
}

void check_rivals(const json& known, const std::vector<std::string>& names,
                  std::span<const json> benchmarks) {
  for (const auto& name : names) {
    if (std::ranges::any_of(known, [&](const json& one) { return one.at("name") == name; }))
      continue;
    std::vector<std::string> part;
    for (const auto& benchmark : benchmarks)
      for (const auto& rival : benchmark.at("rivals"))
        if (std::ranges::find(part, rival.get<std::string>()) == part.end()) part.push_back(rival);
    throw usage_error("--rivals: '" + name + "' is unknown; here take part: " +
                      (part.empty() ? "none" : names_of(part)) + did_you_mean(name, part));
  }
}

}  // namespace pleat::bench
