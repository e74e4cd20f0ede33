// SPDX-License-Identifier: Apache-2.0
//
// pleat-rivals: measures Pleat beside the libraries it is compared with, in one process. An
// executable of its own, started by `pleat compare`, so that the tool links none of them.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/process_defaults.hpp"
#include "host/binding.hpp"
#include "measure/array_pages.hpp"
#include "measure/benchmark.hpp"
#include "measure/child_process.hpp"
#include "measure/machine_watch.hpp"
#include "measure/run_context.hpp"
#include "measure/statistics.hpp"
#include "measure_rivals_case.hpp"
#include "rivals.hpp"
#include "rivals_thread.hpp"
#include "sweep/case_request.hpp"
#include "tool/command_line.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/memory_arguments.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/printable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

json what_there_is() {
  json benchmarks = json::array();
  for (const auto& one : all_benchmarks()) {
    benchmarks.push_back({{"name", one.name},
                          {"group", one.group},
                          {"summary", one.summary},
                          {"n_means", one.n_means},
                          {"spins", one.spins},
                          {"types", names_in(one.types)},
                          {"rivals", names_in(one.rivals)}});
  }
  json rivals = json::array();
  for (const auto& one : all_rivals()) {
    rivals.push_back({{"name", one.name},
                      {"version", one.version},
                      {"package", one.package},
                      {"linked", one.linked}});
  }
  return {{"benchmarks", benchmarks}, {"rivals", rivals}};
}

struct arguments {
  bool list = false;
  bool check = false;
  std::string benchmark, n, repetitions, seed, distribution;
  benchmark_options options;
  machine_arguments machine;
  memory_arguments memory;
};

const benchmark& benchmark_named(const std::string& name) {
  for (const auto& one : all_benchmarks()) {
    if (one.name == name) return one;
  }
  throw usage_error("there is no benchmark '" + name + "'");
}

json spread_of(const summary& times) { return {{"low", times.low}, {"high", times.high}}; }

// Surcharge of ours, round by round: what drifts from round to round falls out.
summary surcharge(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> more(ours.size());
  std::ranges::transform(ours, theirs, more.begin(), std::minus<>());
  return summarise(more);
}

// One entry for each rival; a single one without rival where there is none.
void add_results(json& comparisons, std::string_view benchmark, const comparison& compared,
                 const std::vector<measurement>& results, const std::optional<array_pages>& pages) {
  const auto ours = summarise(results[0].seconds);
  auto entry = [&](const json& rival, const json& version, const json& seconds, const json& ratio) {
    json result{{"work", benchmark},
                {"measure", compared.measure},
                {"n", compared.n},
                {"type", compared.type},
                {"processors", compared.processors},
                {"repetitions", compared.repetitions},
                {"ours_s", ours.median},
                {"ours_quartiles_s", spread_of(ours)},
                {"rival", rival},
                {"rival_version", version},
                {"rival_s", seconds},
                {"ratio", ratio},
                {"memory_pages", memory_pages_json(pages)}};
    if (compared.figure) {
      const absolute_figure figure = compared.figure(ours.median);
      result[figure.name] = figure.value;
    }
    return result;
  };
  for (std::size_t i = 1; i < results.size(); ++i) {
    const auto theirs = summarise(results[i].seconds);
    json unsteady = json::array();
    if (ours.unsteady()) unsteady.push_back("pleat");
    if (theirs.unsteady()) unsteady.push_back(results[i].name);
    comparisons.push_back(entry(results[i].name, rival_named(results[i].name).version,
                                theirs.median,
                                unsteady.empty() ? json(theirs.median / ours.median) : json()));
    comparisons.back()["rival_quartiles_s"] = spread_of(theirs);
    if (!unsteady.empty()) comparisons.back()["unsteady"] = unsteady;
    if (compared.surcharge) {
      const auto more = surcharge(results[0].seconds, results[i].seconds);
      comparisons.back()["surcharge_s"] = more.median;
      comparisons.back()["surcharge_quartiles_s"] = spread_of(more);
    }
  }
  for (const auto& name : compared.missing) {
    comparisons.push_back(entry(name, nullptr, nullptr, nullptr));
    comparisons.back()["missing_package"] = rival_named(name).package;
  }
  for (const auto& [name, reason] : compared.failed) {
    comparisons.push_back(entry(name, rival_named(name).version, nullptr, nullptr));
    comparisons.back()["missing_reason"] = reason;
  }
  if (results.size() == 1 && compared.missing.empty() && compared.failed.empty()) {
    comparisons.push_back(entry(nullptr, nullptr, nullptr, nullptr));
  }
}

json compare(const arguments& chosen, std::exception_ptr& failure) {
  const auto& measured = benchmark_named(chosen.benchmark);
  machine_options options = chosen.machine.options();
  options.memory = chosen.memory.policy(topology::host());
  machine ours(options);
  warn_about(ours);
  testbed on{ours, options, {}};
  for (const auto& p : ours.placement().processors) on.pus.push_back(p.pu);

  const rivals_thread like_ours(on);

  const machine_watch watch(ours);
  json comparisons = json::array();
  try {
    measured.measure(on, chosen.options, [&](const comparison& compared) {
      std::vector<candidate> candidates{compared.ours};
      candidates.insert(candidates.end(), compared.rivals.begin(), compared.rivals.end());
      progress_bar bar("measuring " + std::string(measured.name) + ": " + compared.measure);
      const auto results =
          interleave(candidates, compared.repetitions, chosen.options.seed, compared.pace,
                     [&](std::size_t done, std::size_t total) { bar.update(done, total); });
      add_results(comparisons, measured.name, compared, results,
                  checked_pages(ours, compared.arrays));
    });
  } catch (...) {
    if (comparisons.empty()) throw;
    failure = std::current_exception();  // what has been measured is kept
  }
  json context = run_context(ours, options);
  watch.finish(context);
  return {{"context", std::move(context)}, {"comparisons", comparisons}};
}

void add_options(tool_command& app, arguments& chosen) {
  app.add_flag("--list", chosen.list, "Print the benchmarks and rivals this build has");
  app.add_flag("--check", chosen.check, "Only say what is wrong with the options");
  app.add_option("BENCHMARK", chosen.benchmark, "What to measure");
  app.add_option("--n", chosen.n, "Problem size");
  app.add_option("--type", chosen.options.type, "Type of the elements");
  app.add_option("--shape", chosen.options.shape, "Of matrices and boxes");
  app.add_option("--distribution", chosen.distribution, "How the keys lie");
  app.add_option("--repetitions", chosen.repetitions, "Samples of each candidate");
  app.add_option("--rivals", chosen.options.rivals, "Only these rivals").delimiter(',');
  app.add_option("--operations", chosen.options.operations, "Of collectives only these")
      .delimiter(',');
  app.add_option("--seed", chosen.seed, "Of the data and the order of the samples");
  chosen.machine.add_to(app);
  chosen.memory.add_to(app);
}

void read_options(arguments& chosen) {
  if (!chosen.n.empty()) chosen.options.n = parse_count(chosen.n, "--n", 1);
  if (!chosen.repetitions.empty())
    chosen.options.repetitions = parse_count(chosen.repetitions, "--repetitions", 1);
  if (!chosen.seed.empty()) chosen.options.seed = parse_count(chosen.seed, "--seed");
  if (!chosen.distribution.empty()) chosen.options.distribution = chosen.distribution;
}

int print(const json& result) {
  std::puts(result.dump().c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

int complain(const char* what, int exit_code) {
  std::fprintf(stderr, "pleat: %s\n", printable(what).c_str());
  return exit_code;
}

/// Lets the calling thread run where the parent process may. libgomp binds the thread that loads it
/// to one PU when OMP_PROC_BIND is set, and this program is linked with it.
void allow_what_parent_may() {
  try {
    detail::affinity::current(::getppid()).apply();
  } catch (const environment_error&) {
    // Without it we keep what we have, which is right unless a rival changed it.
  }
}

int main(int argc, char** argv) {
  end_with_parent();
  allow_what_parent_may();
  pleat::detail::defaults.claim_cores = false;  // as in `pleat`
  try {
    if (argc == 3 && std::string_view(argv[1]) == measure_case_word)
      return measure_rivals_case(argv[2]);
    command_line line("pleat-rivals",
                      "Measures Pleat beside its rivals; started by `pleat compare`.");
    tool_command tool = line.tool();
    arguments chosen;
    add_options(tool, chosen);
    if (!line.read(argc, argv)) return 0;
    read_options(chosen);
    if (chosen.list) return print(what_there_is());
    check_options(benchmark_named(chosen.benchmark), chosen.options, !chosen.distribution.empty());
    if (chosen.check) return 0;
    std::exception_ptr failure;
    const int printed = print(compare(chosen, failure));
    if (failure) std::rethrow_exception(failure);
    return printed;
  } catch (const usage_error& failure) {
    return complain(failure.what(), 2);
  } catch (const std::length_error&) {
    return complain("too large for any memory; use a smaller n", 1);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use a smaller n or a machine with more memory", 1);
  } catch (const std::exception& failure) {
    return complain(failure.what(), 1);
  }
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) { return pleat::bench::main(argc, argv); }
