// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <pleat/channels/version.hpp>

#include "sweep/case_request.hpp"
#include "tool.hpp"

namespace pleat::bench {
namespace {

constexpr auto examples = R"(Examples:
  pleat topology                               what this process may use, and its clusters
  pleat run sort --input keys.npy --output sorted.npy
  pleat sweep --n 2^20,2^25 --processors 1,2,4..max --json sort.json
  pleat report old.json sort.json              what became faster or slower
  pleat compare sync channel sort              beside other people's, ratios
  pleat evaluate sort --n 2^12                 supersteps and messages on every folding
  pleat predict --programs sort --nodes 64     times on clusters that are not here

Environment: PLEAT_NUM_PROCESSORS, PLEAT_PLACE, PLEAT_MEMORY, PLEAT_WAIT, PLEAT_KERNELS,
PLEAT_PIN, PLEAT_SHOW_BINDING, NO_COLOR.
Exit status: 0 done, 1 a run or a verification failed, 2 wrong usage, 128 + s ended by signal s.)";

void run_tool(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == measure_case_word)
    throw finished{measure_case(argv[2])};
  go_on_as_studies(argc, argv);
  command_line line("pleat", "Network-oblivious algorithms folded onto the cores of one machine");
  tool_command tool = line.tool();
  tool.set_version_flag("--version", "pleat " PLEAT_VERSION);
  add_topology_command(tool);
  add_study(tool, "place");
  add_run_command(tool);
  add_sweep_command(tool);
  add_study(tool, "report");
  add_study(tool, "compare");
  add_study(tool, "evaluate");
  add_predict_command(tool);
  add_study(tool, "probe");
  add_study(tool, "matrix");
  add_study(tool, "schedule");
  // Last, because commands inherit what is set before they are added.
  tool.footer(examples);
  line.read(argc, argv);
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  return pleat::bench::exit_code_of([&] { pleat::bench::run_tool(argc, argv); });
}
