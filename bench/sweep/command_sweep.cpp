// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "fields_json.hpp"
#include "measure/machine_watch.hpp"
#include "measure/run_context.hpp"
#include "resumption.hpp"
#include "sort/sort_keys.hpp"
#include "sweep_arguments.hpp"
#include "sweep_rivals.hpp"
#include "tool/command_files.hpp"
#include "tool/command_line.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/names.hpp"
#include "tool/numbers.hpp"
#include "tool/rivals_program.hpp"
#include "tool/sweep_program.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/topology_report.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// The machine with most processors in the sweep.
struct largest_machine {
  machine_options options;

  explicit largest_machine(const std::vector<case_record>& records) {
    const auto& largest = *std::ranges::max_element(
        records, {}, [](const case_record& one) { return one.at.processors; });
    options.processors = largest.at.processors;
    options.place = parse_placement(largest.at.place);
  }

  // Its warnings hold for the sweep, its binding is in the report.
  [[nodiscard]] json warned_context() const {
    machine on(options);
    warn_about(on);
    return run_context(on, *options.place);
  }

  [[nodiscard]] machine_watch watch() const {
    const auto& host = topology::host();
    return {host, place(host, *options.place, options.processors)};
  }

  // What a journal must agree on.
  [[nodiscard]] json identity() const {
    const auto& host = topology::host();
    return machine_context(host, *options.place, place(host, *options.place, options.processors));
  }
};

// Goes on where the journal ends; what was chosen then holds if nothing is chosen now.
journal_contents begun_sweep(const journal_place& at, sweep_arguments& chosen) {
  auto contents = journal::read(at.file);
  if (chosen != sweep_arguments{}) return contents;
  try {
    chosen = fields_from<sweep_arguments>(contents.header.at("arguments"));
  } catch (const json::exception&) {
    throw usage_error(at.file.string() +
                      " does not say what it is a sweep of; give the options again");
  }
  return contents;
}

void sweep(sweep_arguments chosen, const std::string& resume) {
  auto at = place_of_journal(chosen.outputs.json, resume);
  if (at.finished) return note(at.json + " is finished; there is nothing to resume");
  std::optional<journal_contents> begun;
  if (at.begun) begun = begun_sweep(at, chosen);
  if (chosen.outputs.json.empty()) chosen.outputs.json = at.json;

  auto settings = settings_of(chosen);
  std::vector<case_record> records;
  for (auto& one : chosen.axes.cases()) records.emplace_back().at = std::move(one);
  chosen.outputs.check();
  if (chosen.rivals) settings.rivals = rivals_of_programs(records, listed(*chosen.rivals));
  sweep_outputs outputs(chosen.outputs);
  const largest_machine largest(records);
  const json identity = largest.identity();
  if (begun) replay(*begun, identity, at.file, records);
  json context = largest.warned_context();
  std::optional<journal> kept;
  if (at.begun) {
    kept.emplace(at.file);
  } else if (!at.file.empty()) {
    json names = json::array();
    for (const auto& one : records) names.push_back(one.at.name());
    kept.emplace(at.file, json{{"version", PLEAT_VERSION},
                               {"arguments", fields_json(chosen)},
                               {"machine", identity},
                               {"cases", names}});
  }

  const machine_watch watch = largest.watch();
  const int signal = run_sweep(records, settings, kept ? &*kept : nullptr);
  watch.finish(context);
  const auto results = results_of(records, settings.rule);
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

// "sort: …; matmul: …"
std::string of_each(std::string_view sweep_program::*what) {
  std::string text;
  for (const auto& program : sweep_programs())
    text +=
        (text.empty() ? "" : "; ") + std::string(program.name) + ": " + std::string(program.*what);
  return text;
}

void add_axes(tool_command& command, sweep_axes& axes) {
  auto several = [&](const char* option, std::vector<std::string>& values, const char* help,
                     const char* type) {
    command.add_option(option, values, help).type_name(type).allow_extra_args(false);
  };
  command.add_option("--programs", axes.programs, "Which, separated by commas; sort unless chosen")
      .type_name("LIST");
  command
      .add_option("--n", axes.n,
                  "Sizes: 2^20,1e6,1Mi or ranges 2^10..2^25, 1e3..1e6*10; of one program: "
                  "sort=2^20..2^26,matmul=512..4096; unless chosen, " +
                      of_each(&sweep_program::n))
      .type_name("LIST");
  command
      .add_option("--per-processor", axes.per_processor,
                  "Weak scaling: sizes on one processor; p have p times as many elements")
      .type_name("LIST");
  command
      .add_option("--processors", axes.processors,
                  "Counts, such as 1,2,4..max (doubling, and max itself) or 1..max+1 (every one); "
                  "1..max unless chosen")
      .type_name("LIST");
  several("--place", axes.places,
          "Which processors (see topology --help); may be given several times", "PLACE");
  command
      .add_option("--hardware-threads", axes.hardware_threads,
                  "Workers of each core: one, all; unless chosen, as the place says")
      .type_name("LIST");
  several("--memory", axes.memory,
          "Where the data is: first-touch, local, interleave, bind:N, remote, master", "LIST");
  several("--pages", axes.pages, "Their size: thp, 4k, hugetlb", "LIST");
  several("--wait", axes.wait, "How workers wait: auto, spin, yield, park", "LIST");
  command
      .add_option("--type", axes.types,
                  "Of the elements, the first unless chosen: " + of_each(&sweep_program::types))
      .type_name("LIST");
  command
      .add_option("--distribution", axes.distribution,
                  "Keys of sort: " + names_of(distributions) + "; random unless chosen")
      .type_name("D");
}

command_option add_outputs(tool_command& command, output_names& names) {
  auto json_option =
      command.add_option("--json", names.json,
                         "Write Google Benchmark's JSON to this file; alone: to standard output");
  json_option.type_name("[FILE]").expected(0, 1);
  command.add_option("--csv", names.csv, "Write a line for each result").type_name("FILE");
  command.add_option("--markdown", names.markdown, "Write the table").type_name("FILE");
  command.add_option("--extra-p", names.extra_p, "Write input for Extra-P (JSON Lines)")
      .type_name("FILE");
  command
      .add_option("--html", names.html,
                  "Write a page of charts to this .html file, or as index.html to this folder")
      .type_name("FILE|DIR");
  command
      .add_option("--against", names.against,
                  "Say what is faster or slower than in this earlier sweep (JSON)")
      .type_name("FILE");
  return json_option;
}

constexpr auto examples = R"(Examples:
  pleat sweep
  pleat sweep --n sort=2^20..2^26,matmul=512..4096 --processors 1,2,4..max --json sweep.json
  pleat sweep --per-processor 2^20 --processors 1..max --place compact --place spread
  pleat sweep --programs stencil2 --memory first-touch,interleave,master --rivals --csv heat.csv
  pleat sweep --against old.json --html report
  pleat sweep --resume sweep.json              go on with one that was interrupted

A case is repeated until the 95 % interval of its median is within --precision of it, or for
--time-limit seconds; it is visited at least twice, by a process of its own, all in random order.
Speed-up is over one processor; have 1 among --processors. While --json FILE is being made,
FILE.part has every repetition. With --json on standard output the table is left out.)";

}  // namespace

void add_sweep_command(tool_command& tool) {
  struct words {
    sweep_arguments arguments;
    std::string rivals, resume;
  };
  auto chosen = std::make_shared<words>();
  auto& arguments = chosen->arguments;
  auto command = tool.add_subcommand(
      "sweep", "Measure the programs at several sizes and processor counts: speed-up, efficiency");
  add_axes(command, arguments.axes);
  auto rivals_option =
      command.add_option("--rivals", chosen->rivals,
                         "Measure other libraries in turns with Pleat; only these, e.g. ips4o,tbb");
  rivals_option.type_name("[LIST]").expected(0, 1);
  command
      .add_option("--precision", arguments.precision,
                  "Repeat until the 95 % interval of the median is within that share of it")
      .type_name("SHARE")
      .capture_default_str();
  command.add_option("--time-limit", arguments.time_limit, "Seconds for a case, if it is not")
      .type_name("S")
      .capture_default_str();
  command
      .add_option("--repetitions", arguments.repetitions,
                  "Exactly so many of every case, whatever the precision")
      .type_name("K");
  command.add_option("--min-time", arguments.seconds, "Measured seconds in each, at least")
      .type_name("S")
      .capture_default_str();
  command.add_option("--seed", arguments.seed, "Of the data and of the order of the cases")
      .type_name("SEED")
      .capture_default_str();
  auto json_option = add_outputs(command, arguments.outputs);
  command
      .add_option("--resume", chosen->resume,
                  "Go on with the sweep that was to write this file, or begin it")
      .type_name("FILE");
  command.footer(examples);
  command.callback([chosen, json_option, rivals_option] {
    auto& given = chosen->arguments;
    if (json_option.count() > 0 && given.outputs.json.empty()) given.outputs.json = standard_stream;
    if (rivals_option.count() > 0) given.rivals = chosen->rivals;
    sweep(given, chosen->resume);
  });
}

}  // namespace pleat::bench
