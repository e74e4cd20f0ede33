// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "machine_arguments.hpp"
#include "measure/run_context.hpp"
#include "names.hpp"
#include "numbers.hpp"
#include "output_file.hpp"
#include "readable.hpp"
#include "sort/sort_keys.hpp"
#include "sweep.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr auto to_stdout = "-";

struct sweep_arguments {
  std::string programs = "sort";
  std::string n;
  std::string processors = "1..max";
  std::vector<std::string> places;
  std::string type;
  std::optional<std::string> distribution;
  std::string repetitions = "5";
  std::string seconds = "0.1";
  std::string json;  // a file's name, or to_stdout
};

double parsed_seconds(const std::string& text) {
  double seconds = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, seconds);
  if (failure != std::errc{} || end != last || !std::isfinite(seconds) || seconds <= 0)
    throw usage_error("--min-time: '" + text + "' is no number of seconds above zero; write 0.1");
  return seconds;
}

std::vector<std::string> chosen_programs(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= list.size();) {
    const auto end = std::min(list.find(',', start), list.size());
    const auto name = list.substr(start, end - start);
    start = end + 1;
    static_cast<void>(find_sweep_program(name));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// Every placement asked for, in canonical notation, with the number of processors it offers.
struct place_choice {
  placement_request request;
  std::size_t most;
};

std::vector<place_choice> chosen_places(const sweep_arguments& chosen) {
  std::vector<place_choice> choices;
  auto texts = chosen.places;
  const machine_arguments environment;  // what the PLEAT_* variables say
  if (texts.empty()) texts.push_back(to_string(environment.request()));
  for (const auto& text : texts) {
    const auto request = parse_placement(text);
    if (std::ranges::any_of(choices, [&](const place_choice& one) {
          return to_string(one.request) == to_string(request);
        }))
      continue;
    const auto most = place(topology::host(), request, environment.number()).processors.size();
    choices.push_back({request, most});
  }
  return choices;
}

std::vector<sweep_case> chosen_cases(const sweep_arguments& chosen) {
  const auto programs = chosen_programs(chosen.programs);
  const auto distribution = chosen.distribution.value_or("random");
  static_cast<void>(parse_distribution(distribution));
  for (const auto& program : programs) {
    if (chosen.distribution && !find_sweep_program(program).has_keys)
      throw usage_error("--distribution: " + program +
                        " has no keys; leave the option out, or sweep sort alone");
  }
  std::vector<sweep_case> cases;
  for (const auto& program : programs) {
    const sweep_program& known = find_sweep_program(program);
    const auto sizes = parse_counts(chosen.n.empty() ? std::string(known.n) : chosen.n, "--n");
    const std::string type = type_of_elements(known, chosen.type);
    for (const auto& choice : chosen_places(chosen)) {
      const auto counts = parse_counts(chosen.processors, "--processors", choice.most);
      for (const std::size_t n : sizes) {
        for (const std::size_t processors : counts) {
          cases.push_back({program, type, distribution, n,
                           parse_processors(std::to_string(processors)),
                           to_string(choice.request)});
        }
      }
    }
  }
  return cases;
}

std::string optional_number(const std::optional<double>& value) {
  return value ? readable_number(*value) : "";
}

std::string results_text(const std::vector<sweep_result>& results, std::size_t repetitions) {
  table rows({"program", "elements", "n", "place", "processors", "median", "spread", "million/s",
              "speed-up", "efficiency", "predicted"});
  for (const auto& one : results) {
    rows.add({one.at.program, one.at.type + " " + one.at.distribution, readable_count(one.at.n),
              one.at.place, std::to_string(one.at.processors), readable_time(one.seconds.median),
              repetitions > 1 ? "± " + readable_number(100 * one.seconds.spread()) + " %" : "",
              readable_number(find_sweep_program(one.at.program).operations(one.at.n) /
                              one.seconds.median / 1e6),
              optional_number(one.speedup), optional_number(one.efficiency),
              one.predicted ? readable_time(*one.predicted) : ""});
  }
  const auto& style = stdout_emphasis();
  return rows.text(style.bold, style.plain, stdout_columns());
}

// The largest machine of the sweep: its warnings hold for the sweep, its binding is in the report.
json context_of(const std::vector<sweep_case>& cases) {
  const auto& largest = *std::ranges::max_element(cases, {}, &sweep_case::processors);
  machine_options options;
  options.processors = largest.processors;
  options.place = parse_placement(largest.place);
  machine on(options);
  warn_about(on);
  return run_context(on, *options.place);
}

void sweep(const sweep_arguments& chosen) {
  sweep_settings settings;
  settings.repetitions = parse_count(chosen.repetitions, "--repetitions", 1);
  settings.seconds = parsed_seconds(chosen.seconds);
  if (settings.repetitions > 10'000) throw usage_error("--repetitions: at most 10,000");
  const auto cases = chosen_cases(chosen);
  // Made first: a place that cannot be written is found out before the work is done.
  std::optional<output_file> file;
  if (!chosen.json.empty() && chosen.json != to_stdout) file.emplace(chosen.json);
  const json context = context_of(cases);

  sweep_outcome outcome;
  {
    progress_bar bar("sweeping " + std::to_string(cases.size()) + " cases");
    std::size_t done = 0;
    outcome = run_sweep(cases, settings, [&](const sweep_case& at) {
      bar.update(done, cases.size() * settings.repetitions, at.name());
      done = std::min(done + 1, cases.size() * settings.repetitions);
    });
  }
  json report = json::parse(outcome.json);
  report["context"]["pleat"] = context;
  if (file) {
    file->write(report.dump(2) + "\n");
    file->commit();
  }
  print_data(chosen.json == to_stdout ? report.dump(2) + "\n"
                                      : results_text(outcome.results, settings.repetitions));
}

// "sort: …; matmul: …"
std::string of_each(std::string_view sweep_program::*what) {
  std::string text;
  for (const auto& program : sweep_programs())
    text +=
        (text.empty() ? "" : "; ") + std::string(program.name) + ": " + std::string(program.*what);
  return text;
}

}  // namespace

void add_sweep_command(tool_command& tool) {
  auto chosen = std::make_shared<sweep_arguments>();
  auto command = tool.add_subcommand(
      "sweep", "Measure the programs at several sizes and processor counts: speed-up, efficiency");
  command.add_option("--programs", chosen->programs, "Which, separated by commas")
      .type_name("LIST")
      .capture_default_str();
  command
      .add_option("--n", chosen->n,
                  "Sizes: 2^20,1e6,1Mi or ranges 2^10..2^25, 1e3..1e6*10; unless chosen, " +
                      of_each(&sweep_program::n))
      .type_name("LIST");
  command
      .add_option("--processors", chosen->processors,
                  "Counts, such as 1,2,4..max (doubling, and max itself) or 1..max+1 (every one)")
      .type_name("LIST")
      .capture_default_str();
  command
      .add_option("--place", chosen->places,
                  "Which processors (see topology --help); may be given several times")
      .type_name("PLACE")
      .allow_extra_args(false);
  command
      .add_option("--type", chosen->type,
                  "Of the elements, the first unless chosen: " + of_each(&sweep_program::types))
      .type_name("T");
  command
      .add_option("--distribution", chosen->distribution,
                  "Keys of sort: " + names_of(distributions) + "; random unless chosen")
      .type_name("D");
  command.add_option("--repetitions", chosen->repetitions, "Of every case, in random order")
      .type_name("K")
      .capture_default_str();
  command.add_option("--min-time", chosen->seconds, "Measured seconds in each repetition, at least")
      .type_name("S")
      .capture_default_str();
  auto json_option =
      command.add_option("--json", chosen->json,
                         "Write Google Benchmark's JSON to this file; alone: to standard output");
  json_option.type_name("[FILE]").expected(0, 1);
  command.footer(R"(Examples:
  pleat sweep
  pleat sweep --n 2^10..2^25 --processors 1,2,4..max --json sort.json
  pleat sweep --type pairs --distribution reversed --place compact --place spread

Speed-up is over one processor; have 1 among --processors. With --json on standard output the
table is left out.)");
  command.callback([chosen, json_option] {
    if (json_option.count() > 0 && chosen->json.empty()) chosen->json = to_stdout;
    sweep(*chosen);
  });
}

}  // namespace pleat::bench
