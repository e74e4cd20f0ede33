// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "child_process.hpp"
#include "comparison_report.hpp"
#include "machine_arguments.hpp"
#include "names.hpp"
#include "numbers.hpp"
#include "terminal.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;
using variables = std::vector<std::pair<std::string, std::string>>;

struct compare_arguments {
  std::vector<std::string> works;
  std::string n, repetitions, seed, rivals, operations, type, distribution;
  machine_arguments machine;
  bool json = false;
};

// Runs pleat-rivals; what it says to people goes to our stderr, what it finds comes back.
json ask_rivals(const std::vector<std::string>& arguments, const variables& environment = {}) {
  const auto result = run_child(companion_program("pleat-rivals"), arguments, environment);
  if (result.exit_code > 128) {
    const int signal = result.exit_code - 128;
    if (signal == SIGINT || signal == SIGTERM) throw finished{result.exit_code};
    throw error("pleat-rivals was ended by signal " + std::to_string(signal) +
                "; leave rivals out with --rivals to find the one at fault");
  }
  if (result.exit_code != 0) throw finished{result.exit_code};  // it has said why
  return json::parse(result.output);
}

std::string names_in(const json& list) {
  return names_of(list, [](const json& one) { return one.at("name").get<std::string>(); });
}

// The works asked for, by name, by group or all, in the registry's order.
std::vector<json> chosen_works(const json& known, const std::vector<std::string>& names) {
  auto means = [](const std::string& name, const json& work) {
    return name == "all" || name == work.at("name").get<std::string>() ||
           name == work.at("group").get<std::string>();
  };
  for (const auto& name : names) {
    if (std::ranges::none_of(known, [&](const json& work) { return means(name, work); })) {
      throw usage_error("compare: '" + name + "' is no work; known: " + names_in(known) + ", all");
    }
  }
  std::vector<json> chosen;
  for (const auto& work : known) {
    if (std::ranges::any_of(names, [&](const auto& name) { return means(name, work); })) {
      chosen.push_back(work);
    }
  }
  return chosen;
}

void check_rivals(const json& known, const std::string& names) {
  for (std::size_t start = 0; start < names.size();) {
    const auto end = std::min(names.find(',', start), names.size());
    const auto name = names.substr(start, end - start);
    start = end + 1;
    if (std::ranges::none_of(
            known, [&](const json& one) { return one.at("name").get<std::string>() == name; })) {
      throw usage_error("--rivals: '" + name + "' is unknown; known: " + names_in(known));
    }
  }
}

// OpenMP runtimes read their threads' places and how to wait from the environment, once. They get
// the processors our own workers get; barriers are measured with active waiting, as ours is.
variables openmp_environment(const placement& placed, bool spins) {
  std::string places;
  for (const auto& p : placed.processors) {
    places += (places.empty() ? "{" : ",{") + std::to_string(p.pu) + "}";
  }
  variables environment{{"OMP_NUM_THREADS", std::to_string(placed.processors.size())},
                        {"OMP_PLACES", places},
                        {"OMP_PROC_BIND", "true"},
                        {"OMP_DYNAMIC", "false"}};
  if (spins) {
    environment.emplace_back("OMP_WAIT_POLICY", "active");
    environment.emplace_back("KMP_BLOCKTIME", "infinite");
  }
  return environment;
}

std::vector<std::string> child_arguments(const compare_arguments& chosen, const json& work) {
  std::vector<std::string> words{work.at("name").get<std::string>()};
  auto pass = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  pass("--n", chosen.n);
  pass("--type", chosen.type);
  pass("--distribution", chosen.distribution);
  pass("--repetitions", chosen.repetitions);
  pass("--rivals", chosen.rivals);
  pass("--operations", chosen.operations);
  pass("--seed", chosen.seed);
  pass("--processors", chosen.machine.processors.value_or(""));
  pass("--place", chosen.machine.place.value_or(""));
  return words;
}

void compare(const compare_arguments& chosen) {
  const auto known = ask_rivals({"--list"});
  const auto works = chosen_works(known.at("works"), chosen.works);
  check_rivals(known.at("rivals"), chosen.rivals);
  const auto placed = place(topology::host(), chosen.machine.request(), chosen.machine.number());

  json result{{"context", json::object()}, {"comparisons", json::array()}};
  for (const auto& work : works) {
    const bool spins = work.at("spins").get<bool>();
    const auto environment = openmp_environment(placed, spins);
    const auto part = ask_rivals(child_arguments(chosen, work), environment);
    if (result["context"].empty()) result["context"] = part.at("context");
    auto& told = result["context"]["environment"][work.at("name").get<std::string>()];
    std::string text;
    for (const auto& [name, value] : environment) {
      told[name] = value;
      if (spins) text += " " + name + "=" + value;
    }
    for (const auto& entry : part.at("comparisons")) result["comparisons"].push_back(entry);
    if (chosen.json) continue;
    print_data(comparison_text(part.at("comparisons")));
    if (spins) print_data("  OpenMP runtimes with" + text + "\n\n");
  }
  if (chosen.json) {
    print_data(result.dump(2) + "\n");
  } else {
    print_data("ratio: the rival's time divided by Pleat's; above 1 Pleat is faster. " +
               std::string("Medians; spread: half the distance between the quartiles.\n"));
  }
}

std::string help_text() {
  std::string text = "Works:\n";
  try {
    const auto known = ask_rivals({"--list"});
    for (const auto& work : known.at("works")) {
      const auto name = work.at("name").get<std::string>();
      const auto group = work.at("group").get<std::string>();
      text += "  " + name + std::string(10 - std::min<std::size_t>(name.size(), 9), ' ') +
              work.at("summary").get<std::string>() +
              "; n: " + work.at("n_means").get<std::string>() +
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
  pleat compare fft2 --n 1000 --rivals fftw-measure
  pleat compare all --json > comparisons.json)";
}

}  // namespace

void add_compare_command(tool_command& tool) {
  auto chosen = std::make_shared<compare_arguments>();
  auto command = tool.add_subcommand(
      "compare", "Measure Pleat beside other people's libraries, interleaved in one process");
  command.add_option("WORK", chosen->works, "What to compare; see below, or all")
      .required()
      .type_name("");
  command.add_option("--n", chosen->n, "Problem size, e.g. 2^20, 1e6, 8Mi").type_name("N");
  command
      .add_option("--type", chosen->type,
                  "Keys of sort and argsort: u64, f64, u32, i32, f32, pairs, u64_pair, string; of "
                  "matmul, rfft and the parts of fft and fft2: f64, f32; "
                  "of min-plus: f32, f64, i32, i64")
      .type_name("T");
  command
      .add_option("--distribution", chosen->distribution,
                  "Keys of sort and argsort: random, sorted, reversed, almost-sorted, "
                  "few-distinct, equal, organ-pipe")
      .type_name("D");
  command.add_option("--repetitions", chosen->repetitions, "Samples of each contestant")
      .type_name("K");
  command.add_option("--rivals", chosen->rivals, "Only these, e.g. ips4o,tbb,serial")
      .type_name("LIST");
  command
      .add_option("--operations", chosen->operations,
                  "Of collectives only these, e.g. broadcast,all_gather_v")
      .type_name("LIST");
  command.add_option("--seed", chosen->seed, "Of the data and of the order of the samples")
      .type_name("SEED");
  chosen->machine.add_to(command);
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(help_text);
  command.callback([chosen] { compare(*chosen); });
}

}  // namespace pleat::bench
