// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <pleat/runtime/probe.hpp>

#include "machine_arguments.hpp"
#include "probe_document.hpp"
#include "probe_report.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

struct probe_arguments {
  machine_arguments machine;
  probe_options how;
  bool cached = false;
  bool json = false;
};

void show(const probe_arguments& chosen) {
  const auto document = chosen.cached ? kept_probe(chosen.machine, chosen.how)
                                      : measured_probe(chosen.machine, chosen.how);
  print_data(chosen.json ? document.dump(2) + "\n" : probe_text(probe_from(document.at("levels"))));
}

}  // namespace

void add_probe_command(tool_command& tool) {
  auto chosen = std::make_shared<probe_arguments>();
  auto command =
      tool.add_subcommand("probe", "Measure what a superstep costs on every level of this machine");
  chosen->machine.add_to(command);
  command.add_option("--machines", chosen->how.machines, "Measured one after the other, 5 or more")
      .capture_default_str();
  command.add_option("--rounds", chosen->how.rounds, "Samples of every size on each")
      .capture_default_str();
  command.add_option("--seed", chosen->how.seed, "Of the pairs and their order")
      .capture_default_str();
  command.add_flag(
      "--cached", chosen->cached,
      "Print the kept probe of these processors; measure and keep it if there is none");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat probe
  pleat probe --processors 8 --place spread --json
  pleat probe --cached)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
