// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "described_topology.hpp"
#include "machine_arguments.hpp"
#include "terminal.hpp"
#include "tool.hpp"
#include "topology_report.hpp"

namespace pleat::bench {
namespace {

struct topology_arguments {
  std::optional<std::string> synthetic, xml;
  machine_arguments machine;
  bool json = false;
};

topology chosen_topology(const topology_arguments& chosen) {
  if (chosen.synthetic) return topology::synthetic(*chosen.synthetic);
  if (chosen.xml) return described_topology(*chosen.xml);
  return topology::host();
}

void show(const topology_arguments& chosen) {
  const auto seen = chosen_topology(chosen);
  const auto request = chosen.machine.request();
  const auto placed = place(seen, request, chosen.machine.number());
  const cluster_tree clusters(seen, placed);
  if (placed.oversubscribed) warn(placed.warning);
  print_data(chosen.json ? topology_json(seen, request, placed, clusters).dump(2) + "\n"
                         : topology_text(seen, request, placed, clusters));
}

}  // namespace

void add_topology_command(tool_command& tool) {
  auto chosen = std::make_shared<topology_arguments>();
  auto command = tool.add_subcommand(
      "topology", "Show what this process may use, and the clusters of its processors");
  auto synthetic =
      command.add_option("--synthetic", chosen->synthetic, "A machine of your own making instead");
  synthetic.type_name("\"numa:2 core:4 pu:2\"");
  command.add_option("--xml", chosen->xml, "A machine described by lstopo FILE.xml instead")
      .type_name("FILE")
      .excludes(synthetic);
  chosen->machine.add_to(command);
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat topology
  pleat topology --processors 6 --place spread
  pleat topology --synthetic "numa:2 l3:2 core:4 pu:2" --json)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
