// SPDX-License-Identifier: Apache-2.0
#include "sweep_session.hpp"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "compare/rivals_program.hpp"
#include "fields_json.hpp"
#include "measure/machine_state.hpp"
#include "measure/run_context.hpp"
#include "resumption.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/output_file.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"
#include "topology/topology_report.hpp"

namespace pleat::bench {
namespace {

/// The rivals of each program of a sweep: those that were asked for, all if none was named.
/// Programs that have none of them are left out.
///
/// Throws: pleat::usage_error for a rival that is unknown or is of none of the programs;
/// pleat::environment_error if pleat-rivals is not there.
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

using json = nlohmann::ordered_json;

// The machine with most processors in the sweep.
struct largest_machine {
  machine_options options;

  explicit largest_machine(const std::vector<case_record>& records) {
    const auto& largest = *std::ranges::max_element(
        records, {}, [](const case_record& one) { return one.at.processors; });
    options.processors = largest.at.processors;
    set_place(options, largest.at.place);
  }

  // Prints the warnings of the largest machine; its binding is in the report.
  [[nodiscard]] json warned_context() const {
    machine on(options);
    warn_about(on);
    return run_context(on, options);
  }

  [[nodiscard]] machine_watch watch() const {
    const auto& host = topology::host();
    return {host, place(host, *options.place, options.processors)};
  }

  // Values that two parts of a sweep must have in common, so that their samples can be merged.
  [[nodiscard]] json identity(const json& context) const {
    const auto& host = topology::host();
    json same = machine_context(host, options, place(host, *options.place, options.processors));
    for (const auto* const key :
         {"host_name", "build_type", "compiler", "compiler_flags", "commit"})
      same[key] = context.value(key, json());
    same["version"] = PLEAT_VERSION;
    return same;
  }
};

// Names of files that are found from any folder.
void make_absolute(output_names& names) {
  for (auto* const name :
       {&names.csv, &names.markdown, &names.extra_p, &names.html, &names.against})
    if (!name->empty() && *name != standard_stream)
      *name = std::filesystem::absolute(*name).string();
}

json header_of(const sweep_arguments& chosen, const std::vector<case_record>& records,
               const json& identity) {
  auto arguments = chosen;
  make_absolute(arguments.outputs);
  json cases = json::array();
  for (const auto& one : records) cases.push_back(case_json(one.at));
  return {{"arguments", fields_json(arguments)}, {"machine", identity}, {"cases", cases}};
}

std::vector<case_record> records_of(std::vector<sweep_case> cases) {
  std::vector<case_record> records;
  for (auto& one : cases) records.emplace_back().at = std::move(one);
  return records;
}

}  // namespace

void sweep_session(sweep_arguments chosen, const std::vector<std::string>& given,
                   const std::string& resume) {
  const auto at = place_of_journal(chosen.outputs.json, resume);
  const std::string source = at.finished ? at.json : at.file.string();
  std::optional<journal> kept;
  std::optional<journal_header> begun;
  journal_contents earlier;
  json context_then;  // of the results that are there already
  if (at.begun) {
    kept.emplace(journal::go_on(at.file));
    earlier = kept->contents();
  } else if (at.finished) {
    const json report = read_report_document(at.json).content;
    earlier = contents_of_finished(report, at.json);
    context_then = report.at("context").at("pleat");
  }
  if (!earlier.header.is_null()) {
    begun = header_from(earlier.header, source);
    if (at.finished) begun->arguments.outputs = {};  // they were written
    chosen = begun->changed(chosen, given, source);
  }
  if (!at.json.empty()) chosen.outputs.json = at.json;

  auto settings = settings_of(chosen);
  settings.command = chosen.axes.command;
  if (settings.command.words && chosen.rivals)
    throw usage_error("--rivals are of Pleat's programs; write --rival NAME='COMMAND …'");
  auto records = records_of(begun && chosen.axes == begun->arguments.axes ? begun->cases
                                                                          : chosen.axes.cases());
  if (begun) begun->replay(earlier, source, records);
  const visit_plan plan(settings.rule, 0);
  const bool done = at.finished && std::ranges::none_of(records, [&](const case_record& one) {
                      return plan.stopped(one) == stop::not_yet;
                    });
  if (done) {
    note(at.json + " is finished; there is nothing left to measure");
    chosen.outputs.json.clear();
  }
  if (!chosen.outputs.html.empty() &&
      std::ranges::any_of(records, [](const case_record& one) { return one.at.unit.has_value(); }))
    throw usage_error(
        "--html: the page shows times, not numbers in a unit of their own; write --csv");
  chosen.outputs.check(at.file.string());
  sweep_outputs outputs(chosen.outputs);
  if (done) return outputs.write(results_of(records, settings.rule), context_then);
  if (chosen.rivals) settings.rivals = rivals_of_programs(records, listed(*chosen.rivals));
  const largest_machine largest(records);
  json context = largest.warned_context();
  const json identity = largest.identity(context);
  if (begun) begun->require_machine(identity, source);
  const json header = header_of(chosen, records, identity);
  if (!kept && !at.file.empty()) {
    kept.emplace(journal::begin(at.file, header));
    for (const auto& [index, event] : earlier.events) kept->add(index, event);
  }

  const machine_watch watch = largest.watch();
  const int signal = run_sweep(records, settings, kept ? &*kept : nullptr);
  watch.finish(context);
  const auto results = results_of(records, settings.rule);
  context["sweep"] = resumable_sweep(header, records, results);
  if (signal != 0) {
    note("interrupted" + (kept ? "; go on with: pleat sweep --resume " + at.file.string() : ""));
    outputs.print(results, context);
    throw finished{128 + signal};
  }
  outputs.write(results, context);
  if (kept) kept->remove();
  if (std::ranges::any_of(records, [](const case_record& one) { return one.failure.has_value(); }))
    throw finished{1};
}

namespace {

double parsed_number(const std::string& text, const char* option, const char* example) {
  constexpr double most = 1e6;
  const double value = number_in<double>(text).value_or(0);
  if (!(value > 0 && value <= most))
    throw usage_error(std::string(option) + ": '" + text +
                      "' is no number above zero, and at most a million; write " + example);
  return value;
}

}  // namespace

sweep_settings settings_of(const sweep_arguments& chosen) {
  sweep_settings settings;
  settings.rule.precision = parse_share(chosen.precision, "--precision", least_share::above_zero);
  settings.rule.time_limit = parsed_number(chosen.time_limit, "--time-limit", "5");
  settings.seconds = parsed_number(chosen.seconds, "--min-time", "0.01");
  settings.rank_patience = parsed_number(chosen.rank_timeout, "--rank-timeout", "300");
  settings.seed = parse_count(chosen.seed, "--seed");
  if (!chosen.repetitions.empty()) {
    settings.rule.repetitions = parse_count(chosen.repetitions, "--repetitions", 1);
    if (*settings.rule.repetitions > 10'000) throw usage_error("--repetitions: at most 10,000");
  }
  return settings;
}

}  // namespace pleat::bench
