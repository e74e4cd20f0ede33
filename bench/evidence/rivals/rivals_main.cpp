// SPDX-License-Identifier: Apache-2.0
//
// pleat-rivals: measures Pleat beside the libraries it is compared with, in one process. An
// executable of its own, started by `pleat compare`, so that the tool links none of them.

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/process_defaults.hpp"
#include "compare/rivals_program.hpp"
#include "host/binding.hpp"
#include "measure/benchmark.hpp"
#include "measure/big_block.hpp"
#include "measure/child_process.hpp"
#include "measure/machine_state.hpp"
#include "measure/run_context.hpp"
#include "measure/statistics.hpp"
#include "rivals.hpp"
#include "sweep/case_request.hpp"
#include "tool/command_line.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

/// The calling thread, from which those of rivals are started, is for these like our workers as
/// long as this lives: they get our processors, and the memory policy of worker 0, which a thread
/// has in its turn.
class rivals_thread {
 public:
  explicit rivals_thread(const testbed& on) {
    detail::affinity::of(on.pus).apply();
    if (on.ours.memory().where != memory_policy::nodes::first_touch) turn_.emplace(on.ours);
  }

 private:
  std::optional<machine::turn> turn_;
};

const benchmark& benchmark_named(const std::string& name, const std::string& otherwise) {
  const auto found = std::ranges::find(all_benchmarks(), name, &benchmark::name);
  if (found == all_benchmarks().end()) throw usage_error(otherwise);
  return *found;
}

json missing_from(const comparison& compared) {
  json missing = json::array();
  for (const auto& name : compared.missing)
    missing.push_back({name, "this build does not have it; it comes with " +
                                 rival_named(name).package + ": build again with it"});
  for (const auto& [name, reason] : compared.failed) missing.push_back({name, reason});
  return missing;
}

/// Measures as measure_case of the tool, for Pleat and its rivals: a sample of each in every round.
void measure(const case_request& request) {
  const auto& measured =
      benchmark_named(request.at.program, "--rivals: " + request.at.program +
                                              " is not compared with others; leave it out");
  benchmark_options options;
  options.n = request.at.n;
  options.type = request.at.type;
  options.distribution = request.at.distribution;
  options.seed = request.seed;
  options.rivals = request.rivals;
  check_options(measured, options, measured.has_keys);

  machine ours(request.at.options());
  testbed on{ours, request.at.options(), {}};
  for (const auto& p : ours.placement().processors) on.pus.push_back(p.pu);
  const rivals_thread like_ours(on);

  bool first = true;
  measured.measure(on, options, [&](const comparison& compared) {
    // A program of the sweep is one comparison; of what has several, the first is meant.
    if (!std::exchange(first, false)) return;
    std::vector<candidate> candidates{compared.ours};
    candidates.front().name = "pleat";
    candidates.insert(candidates.end(), compared.rivals.begin(), compared.rivals.end());
    stream_samples(candidates,
                   {.seconds = request.seconds, .seed = request.seed, .pace = compared.pace},
                   {{"missing", missing_from(compared)}});
    print_event({{"memory_pages", memory_pages_json(checked_pages(ours, compared.arrays))}});
  });
}

json what_there_is() {
  json benchmarks = json::array();
  for (const auto& one : all_benchmarks())
    benchmarks.push_back({{"name", one.name},
                          {"group", one.group.empty() ? one.name : one.group},
                          {"summary", one.summary},
                          {"n_means", one.n_means},
                          {"spins", one.spins},
                          {"types", names_in(one.types)},
                          {"rivals", names_in(one.rivals)}});
  json rivals = json::array();
  for (const auto& one : all_rivals())
    rivals.push_back({{"name", one.name},
                      {"version", one.version},
                      {"package", one.package},
                      {"linked", one.linked}});
  return {{"benchmarks", benchmarks}, {"rivals", rivals}};
}

struct arguments {
  bool list = false;
  bool check = false;
  std::string benchmark;
  compare_options given;
  benchmark_options options;
};

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
  if (results.size() == 1 && compared.missing.empty() && compared.failed.empty())
    comparisons.push_back(entry(nullptr, nullptr, nullptr, nullptr));
}

json compare(const arguments& chosen, const benchmark& measured, std::exception_ptr& failure) {
  machine_options options = chosen.given.machine.options();
  options.memory = chosen.given.memory.policy(topology::host());
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
  chosen.given.add_to(app);
}

void read_options(arguments& chosen) {
  const compare_options& given = chosen.given;
  auto& options = chosen.options;
  if (!given.n.empty()) options.n = parse_count(given.n, "--n", 1);
  if (!given.repetitions.empty())
    options.repetitions = parse_count(given.repetitions, "--repetitions", 1);
  if (!given.seed.empty()) options.seed = parse_count(given.seed, "--seed");
  if (!given.distribution.empty()) options.distribution = given.distribution;
  options.type = given.type;
  options.shape = given.shape;
  options.rivals = listed(given.rivals);
  options.operations = listed(given.operations);
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

void run_rivals(int argc, char** argv) {
  end_with_parent();
  allow_what_parent_may();
  pleat::detail::defaults.claim_cores = false;  // as in `pleat`
  if (argc == 3 && std::string_view(argv[1]) == measure_case_word)
    throw finished{answer_request(argv[2], measure)};
  command_line line("pleat-rivals",
                    "Measures Pleat beside its rivals; started by `pleat compare`.");
  tool_command tool = line.tool();
  arguments chosen;
  add_options(tool, chosen);
  if (!line.read(argc, argv)) return;
  read_options(chosen);
  if (chosen.list) return print_data(what_there_is().dump() + "\n");
  const auto& measured =
      benchmark_named(chosen.benchmark, "there is no benchmark '" + chosen.benchmark + "'");
  check_options(measured, chosen.options, !chosen.given.distribution.empty());
  if (chosen.check) return;
  std::exception_ptr failure;
  print_data(compare(chosen, measured, failure).dump() + "\n");
  if (failure) std::rethrow_exception(failure);
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  return pleat::bench::exit_code_of([&] { pleat::bench::run_rivals(argc, argv); });
}
