// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "sort/sort_keys.hpp"
#include "sweep_session.hpp"
#include "tool/command_line.hpp"
#include "tool/output_file.hpp"
#include "tool/sweep_program.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

// "sort: …; matmul: …"
std::string of_each(std::string_view sweep_program::*what) {
  std::string text;
  for (const auto& program : sweep_programs())
    text +=
        (text.empty() ? "" : "; ") + std::string(program.name) + ": " + std::string(program.*what);
  return text;
}

void add_axes(tool_command& command, sweep_axes& axes) {
  command.add_option("--programs", axes.programs, "Which, separated by commas; sort unless chosen",
                     "LIST");
  command.add_option("--n", axes.n,
                     "Sizes: 2^20,1e6,1Mi or ranges 2^10..2^25, 1e3..1e6*10; of one program: "
                     "sort=2^20..2^26,matmul=512..4096; unless chosen, " +
                         of_each(&sweep_program::n),
                     "LIST");
  command.add_option("--per-processor", axes.per_processor,
                     "Weak scaling: sizes on one processor; p have p times as many elements",
                     "LIST");
  command.add_option(
      "--processors", axes.processors,
      "Counts, such as 1,2,4..max (doubling, and max itself) or 1..max+1 (every one); "
      "1..max unless chosen",
      "LIST");
  command.add_option("--place", axes.places,
                     "Which processors (see topology --help); may be given several times", "PLACE");
  command.add_option("--hardware-threads", axes.hardware_threads,
                     "Workers of each core: one, all; unless chosen, as the place says", "LIST");
  command.add_option(
      "--memory", axes.memory,
      "Where the data is: first-touch, local, interleave, weighted-interleave, bind:N, dram, "
      "hbm, cxl, nvm, remote, master",
      "LIST");
  command.add_option("--pages", axes.pages, "Their size: thp, 4k, hugetlb", "LIST");
  command.add_option("--wait", axes.wait, "How workers wait: auto, spin, yield, park", "LIST");
  command.add_option(
      "--ranks", axes.ranks,
      "Processes of an MPI that share the data, e.g. 1,2,4; --processors are then those "
      "of each, 1 unless chosen",
      "LIST");
  command.add_option("--mpi", axes.mpi,
                     "Which: openmpi, mpich; the first that is here unless chosen", "NAME");
  command.add_option("--type", axes.types,
                     "Of the elements, the first unless chosen: " + of_each(&sweep_program::types),
                     "LIST");
  command.add_option("--distribution", axes.distribution,
                     "Keys of sort: " + distribution::known() + "; random unless chosen", "D");
}

// Options of a command of one's own.
void add_command_options(tool_command& command, swept_command& own) {
  command.add_option("--name", own.name, "Of COMMAND in the results; unless chosen, its program's",
                     "NAME");
  command.add_option("--axis", own.axis,
                     "Values that {NAME} has in COMMAND; may be given several times", "NAME=LIST");
  command.add_option("--env", own.env,
                     "Set for COMMAND and rivals, such as OMP_NUM_THREADS={processors}",
                     "NAME=VALUE");
  command.add_option("--rival", own.rival, "Measure another command in turns with COMMAND",
                     "NAME='COMMAND …'");
  command.add_option(
      "--measure", own.measure,
      "Of a run: elapsed, cpu (both seconds), memory, or the number that a pattern with "
      "one group finds last in what it prints: 'Time: ([0-9.]+)'; elapsed unless chosen",
      "WHAT");
  command.add_option("--unit", own.unit,
                     "Of that number: s, ms, us, ns; or what is written behind it", "UNIT");
  command.add_option("--better", own.better, "Of such a number: less, more; less unless chosen",
                     "WHICH");
}

command_option add_outputs(tool_command& command, output_names& names) {
  auto json_option =
      command.add_option("--json", names.json,
                         "Write Google Benchmark's JSON to this file; alone: to standard output");
  json_option.type_name("[FILE]").expected(0, 1);
  command.add_option("--csv", names.csv, "Write a line for each result", "FILE");
  command.add_option("--markdown", names.markdown, "Write the table", "FILE");
  command.add_option("--extra-p", names.extra_p, "Write input for Extra-P (JSON Lines)", "FILE");
  command.add_option("--html", names.html,
                     "Write a page of charts to this .html file, or as index.html to this folder",
                     "FILE|DIR");
  command.add_option("--against", names.against,
                     "Say what is faster or slower than in this earlier sweep (JSON)", "FILE");
  return json_option;
}

constexpr auto examples = R"(Examples:
  pleat sweep
  pleat sweep --n sort=2^20..2^26,matmul=512..4096 --processors 1,2,4..max --json sweep.json
  pleat sweep --per-processor 2^20 --processors 1..max --place compact --place spread
  pleat sweep --programs stencil2 --memory first-touch,interleave,master --rivals --csv heat.csv
  pleat sweep --programs sort,fft --ranks 1,2,4 --mpi openmpi
  pleat sweep --against old.json --html report
  pleat sweep --processors 1,2,4 --env OMP_NUM_THREADS={processors} -- ./heat --cells 4096
  pleat sweep --n 2^20..2^24 --axis tile=16,64 --measure 'Time: ([0-9.]+)' -- ./mine {n} {tile}
  pleat sweep --resume sweep.json              go on with one that was interrupted
  pleat sweep --resume sweep.json --csv F.csv  write one that is finished in another form

A case is repeated until the 95 % interval of its median is within --precision of it, or for
--time-limit seconds: in two visits or more, each by a process of its own, all cases in random order.
Speed-up is over one processor; have 1 among --processors. While --json FILE is being made,
FILE.part has every repetition. With --json on standard output the table is left out.

COMMAND, behind --, is any program. In its words {processors}, {pus}, {place}, {memory}, {pages}, {n}
and the names of --axis are replaced; it runs on the processors and with the memory of the case.)";

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
  command.add_option("--precision", arguments.precision,
                     "Repeat until the 95 % interval of the median is within that share of it",
                     "SHARE");
  command.add_option("--time-limit", arguments.time_limit, "Seconds for a case, if it is not", "S");
  command.add_option("--repetitions", arguments.repetitions,
                     "Exactly so many of every case, whatever the precision", "K");
  command.add_option("--rank-timeout", arguments.rank_timeout,
                     "Seconds after which ranks that say nothing are ended", "S");
  command.add_option("--min-time", arguments.seconds, "Measured seconds in each, at least", "S");
  command.add_option("--seed", arguments.seed, "Of the data and of the order of the cases", "SEED");
  add_command_options(command, arguments.axes.command);
  auto json_option = add_outputs(command, arguments.outputs);
  command.add_option(
      "--resume", chosen->resume,
      "Go on with the sweep that was to write this file, or begin it; what is not given "
      "is as it was",
      "FILE");
  command.footer(examples);
  const auto& behind = command.take_foreign_command();
  command.callback([chosen, command, json_option, rivals_option, &behind] {
    auto& given = chosen->arguments;
    given.axes.command.words = behind;
    if (json_option.count() > 0 && given.outputs.json.empty()) given.outputs.json = standard_stream;
    if (rivals_option.count() > 0) given.rivals = chosen->rivals;
    auto options = command.given();
    if (behind) options.emplace_back("command");
    sweep_session(given, options, chosen->resume);
  });
}

}  // namespace pleat::bench
