// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "clock.hpp"
#include "machine_arguments.hpp"
#include "matmul_numbers.hpp"
#include "npy.hpp"
#include "output_file.hpp"
#include "readable.hpp"
#include "sort_numbers.hpp"
#include "terminal.hpp"
#include "timeline_file.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

constexpr auto known_programs = "sort, matmul";

struct run_arguments {
  std::string input, output;
  std::vector<std::string> inputs;
  std::string semiring = "plus_times";
  std::optional<std::string> trace;
  machine_arguments machine;
};

void write_timeline(output_file& to, const run_report& report, const std::string& program) {
  if (report.timeline.empty())
    warn("one processor did it alone: there is no timeline to show; take a larger array");
  if (report.timeline_lost > 0) {
    warn("the timeline lacks its last " + std::to_string(report.timeline_lost) +
         " entries: it keeps 65,536 of a processor; take a smaller array");
  }
  to.write(timeline_json(report, program).dump() + "\n");
  to.commit();
}

void warn_of_more(const npy_array& array, const std::string& name) {
  if (array.bytes_after > 0) {
    warn(name + " goes on for " + std::to_string(array.bytes_after) +
         " bytes after the array; they are left out, as np.load does");
  }
}

void run_sort(const run_arguments& chosen) {
  auto array = read_npy(chosen.input);
  warn_of_more(array, chosen.input);
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
  if (trace) write_timeline(*trace, report, "sort");
  output.commit();
  note("sorted " + readable_count(array.elements) + " elements ('" + array.descr + "') in " +
       readable_time(seconds) + " on " + std::to_string(on.processors()) +
       (on.processors() == 1 ? " processor" : " processors"));
}

void run_matmul(const run_arguments& chosen) {
  if (chosen.inputs.size() != 2)
    throw usage_error("run matmul: give --input twice, for the left matrix and the right one");
  const auto a = read_npy(chosen.inputs[0], 2);
  const auto b = read_npy(chosen.inputs[1], 2);
  warn_of_more(a, chosen.inputs[0]);
  warn_of_more(b, chosen.inputs[1]);
  check_matrices(chosen.semiring, a, chosen.inputs[0], b, chosen.inputs[1]);
  output_file output(chosen.output);
  std::optional<output_file> trace;
  if (chosen.trace) trace.emplace(*chosen.trace);
  machine_options options = chosen.machine.options();
  options.timeline = trace.has_value();
  machine on(options);
  if (on.oversubscribed()) warn(on.placement().warning);
  npy_array c = result_of(a, b);
  const auto start = benchmark_clock::now();
  const run_report report = multiply_matrices(on, chosen.semiring, a, b, c);
  const double seconds = seconds_since(start);
  write_npy(output, c);
  if (trace) write_timeline(*trace, report, "matmul");
  output.commit();
  const auto size = [](const npy_array& m) {
    return std::to_string(m.shape[0]) + " x " + std::to_string(m.shape[1]);
  };
  note("multiplied " + size(a) + " by " + size(b) + " ('" + a.descr + "') over " + chosen.semiring +
       " in " + readable_time(seconds) + " on " + std::to_string(on.processors()) +
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
  pleat run sort --input keys.npy --output sorted.npy --trace sort.json
  pleat run matmul --input a.npy --input b.npy --output c.npy)";
  sort.footer(examples);
  sort.callback([chosen] { run_sort(*chosen); });

  auto& matmul = *command.add_subcommand("matmul", "Multiply two matrices over a semiring");
  matmul.add_option("--input", chosen->inputs, "The left matrix, then the right one: C order")
      ->required()
      ->type_name("F.npy")
      ->allow_extra_args(false);
  matmul.add_option("--output", chosen->output, "Where the product goes; may be an input")
      ->required()
      ->type_name("R.npy");
  matmul.add_option("--semiring", chosen->semiring, semiring_names())
      ->type_name("S")
      ->capture_default_str();
  matmul
      .add_option("--trace", chosen->trace,
                  "Write what each processor did when: open it at ui.perfetto.dev")
      ->type_name("T.json");
  chosen->machine.add_to(matmul);
  matmul.footer(R"(Examples:
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run matmul --input d.npy --input d.npy --output two_hops.npy --semiring min_plus)");
  matmul.callback([chosen] { run_matmul(*chosen); });

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
