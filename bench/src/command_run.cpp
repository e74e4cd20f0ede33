// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "clock.hpp"
#include "machine_arguments.hpp"
#include "npy.hpp"
#include "output_file.hpp"
#include "readable.hpp"
#include "sort_numbers.hpp"
#include "terminal.hpp"
#include "timeline_file.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

constexpr auto known_programs = "sort";

struct run_arguments {
  std::string input, output;
  std::optional<std::string> trace;
  machine_arguments machine;
};

void write_timeline(output_file& to, const run_report& report) {
  if (report.timeline.empty())
    warn("one processor sorted the array alone: there is no timeline to show; take a larger array");
  if (report.timeline_lost > 0) {
    warn("the timeline lacks its last " + std::to_string(report.timeline_lost) +
         " entries: it keeps 65,536 of a processor; take a smaller array");
  }
  to.write(timeline_json(report, "sort").dump() + "\n");
  to.commit();
}

void run_sort(const run_arguments& chosen) {
  auto array = read_npy(chosen.input);
  if (array.bytes_after > 0) {
    warn(chosen.input + " goes on for " + std::to_string(array.bytes_after) +
         " bytes after the array; they are left out, as np.load does");
  }
  // Made before the work is done: a place that cannot be written is found out now.
  output_file output(chosen.output);
  std::optional<output_file> trace;
  if (chosen.trace) trace.emplace(*chosen.trace);
  machine_options options = chosen.machine.options();
  options.timeline = trace.has_value();
  machine on(options);
  if (on.oversubscribed()) warn(on.placement().warning);
  const auto start = benchmark_clock::now();
  const run_report report = sort_numbers(on, array);
  const double seconds = seconds_since(start);
  write_npy(output, array);
  if (trace) write_timeline(*trace, report);
  output.commit();
  note("sorted " + readable_count(array.elements) + " elements ('" + array.descr + "') in " +
       readable_time(seconds) + " on " + std::to_string(on.processors()) +
       (on.processors() == 1 ? " processor" : " processors"));
}

}  // namespace

void add_run_command(CLI::App& tool) {
  auto chosen = std::make_shared<run_arguments>();
  auto& command =
      *tool.add_subcommand("run", "Run a program on real arrays in NumPy's .npy format");
  auto& sort = *command.add_subcommand("sort", "Sort a one-dimensional array in NumPy's order");
  sort.add_option("--input", chosen->input, "The array: any numeric dtype")
      ->required()
      ->type_name("F.npy");
  sort.add_option("--output", chosen->output, "Where the result goes; may be the input")
      ->required()
      ->type_name("R.npy");
  sort.add_option("--trace", chosen->trace,
                  "Write what each processor did when: open it at ui.perfetto.dev")
      ->type_name("T.json");
  chosen->machine.add_to(sort);
  constexpr auto examples = R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run sort --input keys.npy --output keys.npy --processors 4
  pleat run sort --input keys.npy --output sorted.npy --trace sort.json)";
  sort.footer(examples);
  sort.callback([chosen] { run_sort(*chosen); });

  command.footer(examples);
  command.allow_extras();  // so that an unknown program is ours to name
  command.callback([&command] {
    if (!command.get_subcommands().empty()) return;
    const auto extras = command.remaining();
    throw usage_error(extras.empty() ? std::string("run: name a program; known: ") + known_programs
                                     : "run: '" + extras.front() +
                                           "' is no program; known: " + known_programs);
  });
}

}  // namespace pleat::bench
