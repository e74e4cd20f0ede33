// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "evaluate/evaluated_program.hpp"
#include "place_report.hpp"
#include "report/json_file.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

constexpr auto every_program = "all";

struct place_arguments {
  std::optional<std::string> program, n;
  topology_arguments described;
  machine_arguments machine;
  memory_arguments memory;
  bool json = false;
};

// Returns the program asked for, which must accept size n; for `all`, the programs that accept n.
std::vector<const evaluated_program*> chosen_programs(const place_arguments& chosen,
                                                      std::size_t n) {
  std::vector<const evaluated_program*> programs;
  if (*chosen.program != every_program) {
    const evaluated_program& one = find_evaluated_program(*chosen.program);
    if (!one.sizes.accepts(n))
      throw usage_error("--n: '" + *chosen.n + "' is no size for " + std::string(one.name) +
                        "; it takes " + std::string(one.sizes.text));
    programs.push_back(&one);
    return programs;
  }
  for (const evaluated_program& one : evaluated_programs()) {
    if (one.sizes.accepts(n))
      programs.push_back(&one);
    else
      note(std::string(one.name) + " is left out: it takes " + std::string(one.sizes.text));
  }
  if (programs.empty()) throw usage_error("--n: '" + *chosen.n + "' is a size of no program");
  return programs;
}

void add_traffic(const place_arguments& chosen, place_findings& found) {
  if (!chosen.program) {
    if (chosen.n) throw usage_error("--n: of which program? Give one, or all, before it");
    return;
  }
  if (!chosen.n) throw usage_error("place " + *chosen.program + ": give its size with --n");
  const std::size_t n = parse_count(*chosen.n, "--n");
  const auto programs = chosen_programs(chosen, n);
  progress_bar bar("counting messages");
  const auto redrawn = bar.during_calls();
  for (std::size_t i = 0; i < programs.size(); ++i) {
    bar.update(i, programs.size());
    announce_runs(*programs[i], n, 1);
    const evaluation_request request{.n = n, .processors = found.where.processors.size()};
    found.traffic.push_back(
        traffic_of(std::string(programs[i]->name), n, programs[i]->run(request), found.where));
  }
}

void show(const place_arguments& chosen) {
  const topology machine = chosen.described.topology();
  place_findings found =
      find_places(machine, chosen.machine.options(), chosen.memory.policy(machine));
  add_traffic(chosen, found);
  if (found.where.oversubscribed) warn(found.where.warning);
  print_data(chosen.json ? json_text(place_json(found), 2) + "\n"
                         : place_text(found, stdout_columns()));
}

}  // namespace

void add_place_command(tool_command& tool) {
  auto chosen = std::make_shared<place_arguments>();
  auto command = add_study(tool, "place");
  command
      .add_option("PROGRAM", chosen->program,
                  "Whose messages to count: " + evaluated_program_names() + "; or all")
      .type_name("");
  command.add_option("--n", chosen->n, "Its size: one virtual processor for each element", "N");
  chosen->described.add_to(command);
  chosen->machine.add_to(command);
  chosen->memory.add_to(command);
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(
      R"(Of p processors each owns a block of every array. "local" is the share of its accesses to
its own block that go to NUMA nodes local to it, memory-only ones too; "distance" what the firmware
says of its pages (10: its own node; -: the firmware says nothing). A barrier joins clusters, here of
a power of two of virtual processors; the messages of the superstep it ends stay in them. Messages
are counted in a run of the program on this machine, one virtual processor for each element, by
sender and receiver, and folded onto the processors of the machine that is shown.

Examples:
  pleat place
  pleat place --place spread --memory interleave
  pleat place --synthetic "package:2 numa:2 core:4 pu:2" sort --n 2^12
  pleat place --synthetic "numa:4 core:8" --memory master all --n 2^10 --json)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
