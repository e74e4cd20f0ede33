// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "measure/child_process.hpp"
#include "report/json_file.hpp"
#include "rivals_program.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

struct compare_arguments {
  std::vector<std::string> benchmarks;
  compare_options options;
  bool json = false;
};

// Returns the benchmarks that are asked for, by name, by group or as all, in the registry's order.
std::vector<json> chosen_benchmarks(const json& known, const std::vector<std::string>& names) {
  auto means = [](const std::string& name, const json& benchmark) {
    return name == "all" || name == benchmark.at("name").get<std::string>() ||
           name == benchmark.at("group").get<std::string>();
  };
  for (const auto& name : names) {
    if (std::ranges::none_of(known, [&](const json& benchmark) { return means(name, benchmark); }))
      throw usage_error("compare: '" + name + "' is no benchmark; known: " + names_in(known) +
                        ", all");
  }
  std::vector<json> chosen;
  for (const auto& benchmark : known) {
    if (std::ranges::any_of(names, [&](const auto& name) { return means(name, benchmark); }))
      chosen.push_back(benchmark);
  }
  return chosen;
}

std::vector<std::string> child_arguments(const compare_arguments& chosen, const json& benchmark) {
  auto words = chosen.options.words();
  words.insert(words.begin(), benchmark.at("name").get<std::string>());
  return words;
}

// Checks every option against every benchmark before any is measured, so that an option which only
// the last one refuses does not end a run whose other benchmarks were already measured.
void check_benchmarks(const compare_arguments& chosen, const std::vector<json>& benchmarks) {
  for (const auto& benchmark : benchmarks) {
    auto words = child_arguments(chosen, benchmark);
    words.emplace_back("--check");
    if (const int code = answer_of_rivals(words).exit_code; code != 0) throw finished{code};
  }
}

// Removes benchmarks whose `list` has none of `wanted`, and adds the reason to `left_out`. Those
// that are asked for by their own name stay; if no benchmark has any of `wanted`, all stay.
std::vector<json> with_any(const compare_arguments& chosen, std::vector<json> benchmarks,
                           const char* list, const std::vector<std::string>& wanted,
                           const std::string& why_not, std::vector<std::string>& left_out) {
  if (wanted.empty()) return benchmarks;
  const auto has = [&](const json& benchmark) {
    return std::ranges::any_of(benchmark.at(list), [&](const json& one) {
      return std::ranges::find(wanted, one.get<std::string>()) != wanted.end();
    });
  };
  if (std::ranges::none_of(benchmarks, has)) return benchmarks;
  std::erase_if(benchmarks, [&](const json& benchmark) {
    const auto name = benchmark.at("name").get<std::string>();
    const bool named = std::ranges::find(chosen.benchmarks, name) != chosen.benchmarks.end();
    if (named || has(benchmark)) return false;
    left_out.push_back(name + " is left out: " + why_not);
    return true;
  });
  return benchmarks;
}

// Checks that each rival asked for takes part in a benchmark.
void check_rivals_take_part(const compare_arguments& chosen, const std::vector<json>& benchmarks) {
  for (const auto& rival : listed(chosen.options.rivals)) {
    if (std::ranges::none_of(benchmarks, [&](const json& benchmark) {
          return std::ranges::any_of(benchmark.at("rivals"),
                                     [&](const json& one) { return one == rival; });
        }))
      throw usage_error("--rivals: " + rival + " takes part in none of: " + names_in(benchmarks));
  }
}

void compare(const compare_arguments& chosen) {
  const auto known = ask_rivals({"--list"});
  std::vector<std::string> left_out;
  auto benchmarks = chosen_benchmarks(known.at("benchmarks"), chosen.benchmarks);
  check_rivals(known.at("rivals"), listed(chosen.options.rivals), benchmarks);
  benchmarks = with_any(chosen, std::move(benchmarks), "rivals", listed(chosen.options.rivals),
                        "it has none of these rivals", left_out);
  benchmarks = with_any(chosen, std::move(benchmarks), "types", listed(chosen.options.type),
                        "it is not measured with this type", left_out);
  static_cast<void>(chosen.options.memory.policy(topology::host()));
  const auto asked = chosen.options.machine.options();
  const auto placed = place(topology::host(), *asked.place, asked.processors);
  check_benchmarks(chosen, benchmarks);
  check_rivals_take_part(chosen, benchmarks);
  for (const std::string& why : left_out) note(why);

  json result{{"context", json::object()}, {"comparisons", json::array()}};
  int exit_code = 0;
  const interruptions_passed_on until_reported;
  for (const auto& benchmark : benchmarks) {
    const auto name = benchmark.at("name").get<std::string>();
    const bool spins = benchmark.at("spins").get<bool>();
    const auto environment = openmp_environment(placed, spins);
    const auto given = answer_of_rivals(child_arguments(chosen, benchmark), environment);
    const bool interrupted = interruptions_passed_on::signal() != 0 || given.exit_code > 128;
    if (given.exit_code != 0) {
      exit_code = std::max(exit_code, given.exit_code);
      result["failed"].push_back(name);  // the others are measured all the same
    }
    const auto& part = given.document;
    if (!part.is_null()) {
      if (result["context"].empty()) {
        result["context"] = part.at("context");
        result["context"]["during"] = json::object();
      }
      result["context"]["during"][name] = part.at("context").at("during");
      auto& told = result["context"]["environment"][name];
      std::string text;
      for (const auto& [variable, value] : environment) {
        told[variable] = value;
        if (spins) text += " " + variable + "=" + value;
      }
      for (const auto& entry : part.at("comparisons")) result["comparisons"].push_back(entry);
      if (!chosen.json) {
        print_data(comparison_text(part.at("comparisons")));
        if (spins) print_data("  OpenMP runtimes with" + text + "\n\n");
      }
    }
    if (interrupted) {
      const int signal = interruptions_passed_on::signal();
      exit_code = signal != 0 ? 128 + signal : given.exit_code;
      note("interrupted in " + name + "; what was measured before it follows");
      break;
    }
  }
  const bool any = !result["comparisons"].empty();
  if (chosen.json && any) print_data(json_text(result, 2) + "\n");
  if (!chosen.json && any)
    print_data("ratio: the rival's time divided by Pleat's; above 1 Pleat is faster. " +
               std::string("Medians; spread: half the distance between the quartiles.\n"));
  if (exit_code != 0) throw finished{exit_code};
}

std::string help_text() {
  std::string text = "Benchmarks:\n";
  try {
    const auto known = ask_rivals({"--list"});
    for (const auto& benchmark : known.at("benchmarks")) {
      const auto name = benchmark.at("name").get<std::string>();
      const auto group = benchmark.at("group").get<std::string>();
      const auto types =
          names_of(benchmark.at("types"), [](const json& one) { return one.get<std::string>(); });
      text += "  " + name + std::string(10 - std::min<std::size_t>(name.size(), 9), ' ') +
              benchmark.at("summary").get<std::string>() +
              "; n: " + benchmark.at("n_means").get<std::string>() +
              (types.empty() ? "" : "; types: " + types) +
              (group == name ? "" : " (group " + group + ")") + "\n";
    }
  } catch (const std::exception& failure) {
    text += std::string("  ") + failure.what() + "\n";
  }
  return text + R"(
Examples:
  pleat compare sync
  pleat compare sort --n 2^20 --type pairs --rivals ips4o,tbb,serial
  pleat compare argsort --n 2^20 --type f64
  pleat compare matmul --n 1024 --type f32
  pleat compare matmul --type c128 --shape matrix-panel --rivals openblas,blis
  pleat compare fft2 --n 1000 --rivals fftw-measure
  pleat compare closure cholesky --n 1024
  pleat compare connected-components --shape grid
  pleat compare stencil2 --memory interleave --pages 4k
  pleat compare all --json > comparisons.json)";
}

}  // namespace

void add_compare_command(tool_command& tool) {
  auto chosen = std::make_shared<compare_arguments>();
  auto command = add_study(tool, "compare");
  command.add_option("BENCHMARK", chosen->benchmarks, "What to compare; see below, or all")
      .required()
      .type_name("");
  chosen->options.add_to(command);
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(help_text);
  command.callback([chosen] { compare(*chosen); });
}

}  // namespace pleat::bench
