// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include <pleat/oblivious/kernels.hpp>
#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "build_identity.hpp"
#include "report/json_file.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/terminal.hpp"
#include "tool/tool.hpp"
#include "topology_report.hpp"

namespace pleat::bench {
namespace {

struct shown_arguments {
  topology_arguments described;
  machine_arguments machine;
  bool kernels = false;
  bool json = false;
};

/// Shows, with --kernels, which kernels the library's programs run on the processor this runs on.
void show_kernels(const shown_arguments& chosen) {
  if (chosen.described.synthetic || chosen.described.xml)
    throw usage_error(
        "--kernels is about the processor this runs on: leave out --synthetic and --xml");
  const auto choices = kernel_choices();
  if (chosen.json) {
    const nlohmann::ordered_json all{{"kernels", kernels_json(choices)},
                                     {"kernel_targets", build_targets}};
    return print_data(json_text(all, 2) + "\n");
  }
  std::string text = kernels_text(choices);
  if (build_targets != "all")
    text += "  compiled for fewer instruction sets (" + std::string(build_targets) +
            "); for all of them: cmake --preset release -D PLEAT_TARGETS=all && "
            "cmake --build --preset release\n";
  print_data(text);
}

void show(const shown_arguments& chosen) {
  if (chosen.kernels) return show_kernels(chosen);
  const auto seen = chosen.described.topology();
  const auto asked = chosen.machine.options();
  const auto placed = place(seen, *asked.place, asked.processors);
  const cluster_tree clusters(seen, placed);
  if (placed.oversubscribed) warn(placed.warning);
  print_data(chosen.json ? json_text(topology_json(seen, asked, placed, clusters), 2) + "\n"
                         : topology_text(seen, asked, placed, clusters));
}

}  // namespace

void add_topology_command(tool_command& tool) {
  auto chosen = std::make_shared<shown_arguments>();
  auto command = tool.add_subcommand(
      "topology", "Show what this process may use, and the clusters of its processors");
  chosen->described.add_to(command);
  chosen->machine.add_to(command);
  command.add_flag("--kernels", chosen->kernels,
                   "Show instead which kernels are used on this processor, and why");
  command.add_flag("--json", chosen->json, "Print JSON");
  command.footer(R"(Examples:
  pleat topology
  pleat topology --processors 6 --place spread
  pleat topology --kernels
  PLEAT_KERNELS=vectors=avx2,sort-u32=digits pleat topology --kernels --json
  pleat topology --synthetic "numa:2 l3:2 core:4 pu:2" --json)");
  command.callback([chosen] { show(*chosen); });
}

}  // namespace pleat::bench
