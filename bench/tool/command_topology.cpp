// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "machine_arguments.hpp"
#include "terminal.hpp"
#include "tool.hpp"
#include "topology_arguments.hpp"
#include "topology_report.hpp"

namespace pleat::bench {
namespace {

struct shown_arguments {
  topology_arguments described;
  machine_arguments machine;
  bool json = false;
};

void show(const shown_arguments& chosen) {
  const auto seen = chosen.described.topology();
  const auto request = chosen.machine.request();
  const auto placed = place(seen, request, chosen.machine.number());
  const cluster_tree clusters(seen, placed);
  if (placed.oversubscribed) warn(placed.warning);
  print_data(chosen.json ? topology_json(seen, request, placed, clusters).dump(2) + "\n"
                         : topology_text(seen, request, placed, clusters));
}

}  // namespace

void add_topology_command(tool_command& tool) {
  auto chosen = std::make_shared<shown_arguments>();
  auto command = tool.add_subcommand(
      "topology", "Show what this process may use, and the clusters of its processors");
  chosen->described.add_to(command);
  chosen->machine.add_to(command);
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat topology
  pleat topology --processors 6 --place spread
  pleat topology --synthetic "numa:2 l3:2 core:4 pu:2" --json)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
