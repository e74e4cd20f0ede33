// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/run_report.hpp>

#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "output_file.hpp"
#include "printable.hpp"
#include "terminal.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

using nlohmann::ordered_json;

constexpr int process = 1;

ordered_json named(const char* what, std::size_t row, const std::string& name) {
  return {{"ph", "M"}, {"pid", process}, {"tid", row}, {"name", what}, {"args", {{"name", name}}}};
}

ordered_json event(std::size_t row, const char* name, double begin, double end) {
  constexpr double microseconds = 1e6;
  return {{"ph", "X"},
          {"pid", process},
          {"tid", row},
          {"name", name},
          {"ts", begin * microseconds},
          {"dur", (end - begin) * microseconds}};
}

/// The row's events, in their order: each span, and before it the computation since the last one.
void add_row(ordered_json& events, std::size_t row, const run_report& report) {
  const processor_times& times = report.times[row];
  const double end = times.first + times.computation + times.waiting + times.communication;
  double since = times.first;
  const auto compute_until = [&](double until) {
    if (until > since) events.push_back(event(row, "computation", since, until));
  };
  for (const timeline_span& span : report.timeline[row]) {
    compute_until(span.begin);
    auto one = event(row, span.what == activity::waiting ? "waiting" : "communication", span.begin,
                     span.end);
    if (span.label < report.supersteps.size()) one["args"] = {{"label", span.label}};
    events.push_back(std::move(one));
    since = span.end;
  }
  compute_until(end);
}

/// Makes JSON of what each processor did when: trace events that Perfetto (ui.perfetto.dev) and
/// Chrome's about:tracing show: a row for each processor; waiting at a barrier, communication, and
/// what is between them, computation. Times in microseconds. `otherData` has the memory policy, the
/// size of pages, and where the `pages` of the result are.
///
/// Requires: the report of a machine that keeps a timeline.
/// Source of the format: "Trace Event Format", complete events (ph = X) and metadata (ph = M).
std::string timeline_json(const run_report& report, const std::string& program,
                          const memory_policy& memory, const std::optional<array_pages>& pages) {
  auto events = ordered_json::array();
  events.push_back(named("process_name", 0, "pleat: " + program));
  for (std::size_t row = 0; row < report.timeline.size(); ++row) {
    events.push_back(named(
        "thread_name", row,
        "processor " + std::to_string(row) + ", PU " + std::to_string(report.bindings[row].pu)));
    add_row(events, row, report);
  }
  const ordered_json document{{"displayTimeUnit", "ns"},
                              {"otherData",
                               {{"memory", nodes_text(memory)},
                                {"pages", to_string(memory.size)},
                                {"memory_pages", memory_pages_json(pages)}}},
                              {"traceEvents", std::move(events)}};
  return document.dump();
}

void write_timeline(output_file& to, const run_report& report, const pleat::machine& on,
                    const std::string& program, const std::optional<array_pages>& pages) {
  if (report.timeline.empty())
    warn("one processor did it alone: there is no timeline to show; take a larger array");
  if (report.timeline_lost > 0)
    warn("the timeline lacks its last " + std::to_string(report.timeline_lost) +
         " entries: it keeps 65,536 of a processor; take a smaller array");
  to.write(timeline_json(report, program, on.memory(), pages) + "\n");
  to.commit();
}

/// One line: the algorithm, and the run if there was one.
std::string how(const run_report& report) {
  std::string line =
      report.algorithm.empty() ? "one algorithm for all input" : std::string(report.algorithm);
  if (report.vps == 0) return line + ", without a run";
  std::uint64_t supersteps = 0;
  for (const std::uint64_t of_label : report.supersteps) supersteps += of_label;
  return line + ", " + std::to_string(report.vps) + " virtual processors, " +
         std::to_string(supersteps) + " supersteps";
}

}  // namespace

void program_run::add_input(tool_command& program, const std::string& help) {
  program.add_option("--input", inputs, help + "; - is standard input")
      .required()
      .expected(1, 1)
      .type_name("F.npy");
}

void program_run::add_to(tool_command& program, const std::string& output_help) {
  program.add_option("--output", output, output_help + "; - is standard output")
      .required()
      .type_name("R.npy");
  program.add_option("--trace", trace,
                     "Write what each processor did when: open it at ui.perfetto.dev", "T.json");
  program.add_flag("--verbose", verbose,
                   "Say which algorithm ran, and on how many virtual processors");
  machine.add_to(program);
  memory.add_to(program);
}

pleat::machine& program_run::on() const {
  if (!on_) {
    machine_options options = machine.options();
    options.memory = memory.policy(topology::host());
    if (trace) options.observe = observed::timeline;
    on_ = std::make_unique<pleat::machine>(options);
  }
  return *on_;
}

void program_run::carry_out(std::string_view program, const npy_array& result,
                            const std::string& done,
                            const std::function<run_report(pleat::machine&)>& work) const {
  output_file result_file(output);
  std::optional<output_file> trace_file;
  if (trace) trace_file.emplace(*trace);
  pleat::machine& used = on();
  if (used.oversubscribed()) warn(used.placement().warning);
  const auto start = benchmark_clock::now();
  const run_report report = [&] {
    progress_bar bar(std::string(program), progress_bar::appears::late);
    const auto redrawn = bar.during_calls();
    return work(used);
  }();
  const double seconds = seconds_since(start);
  const auto pages = checked_pages(used, {&result.memory});
  write_npy(result_file, result);
  if (trace_file) write_timeline(*trace_file, report, used, std::string(program), pages);
  result_file.commit();
  const unsigned worked = std::max(report.processors, 1U);
  note(done + " in " + readable_time(seconds) + " on " + std::to_string(worked) +
       (worked == 1 ? " processor" : " processors") +
       (worked < used.processors() ? " of " + std::to_string(used.processors()) +
                                         ", since more would take longer for so few elements"
                                   : ""));
  if (verbose) note(how(report));
  const bool told = pages && (pages->counts.on_node.size() > 1 || used.memory() != memory_policy{});
  if (told)
    note("the result's pages: " + to_string(pages->counts) + " (memory " +
         to_string(used.memory()) + ")");
}

npy_array program_run::read(std::size_t which, npy_dimensions wanted) const {
  std::vector<command_file> files;
  for (const auto& name : inputs) files.push_back({"--input", name, file_use::read});
  files.push_back({"--output", output, file_use::result});
  if (trace) files.push_back({"--trace", *trace, file_use::report});
  check_files(files);
  const auto& name = inputs.at(which);
  npy_array array = read_npy(name, wanted, &on());
  if (array.bytes_after > 0)
    warn(name + " goes on for " + std::to_string(array.bytes_after) +
         " bytes after the array; they are left out, as np.load does");
  return array;
}

void add_run_command(tool_command& tool) {
  auto command = tool.add_subcommand("run", "Run a program on real arrays in NumPy's .npy format");
#define PLEAT_ADDED(problem) add_run_##problem(command);
  PLEAT_RUN_PROBLEMS(PLEAT_ADDED)
#undef PLEAT_ADDED
  command.footer(R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run stencil --input plate.npy --output warm.npy --steps 1000
pleat run PROGRAM --help tells more of each.)");
}

}  // namespace pleat::bench
