// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <pleat/channels/version.hpp>

#include "outcome.hpp"
#include "sweep/case_request.hpp"
#include "sweep/measure_case.hpp"
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

Environment: PLEAT_NUM_PROCESSORS, PLEAT_PLACE, PLEAT_MEMORY, PLEAT_WAIT,
PLEAT_THREAD_EACH, PLEAT_STACK, PLEAT_CACHE, PLEAT_KERNELS, PLEAT_PIN, PLEAT_CLAIM_CORES,
PLEAT_READ_PROCESSES, PLEAT_SHOW_BINDING, PLEAT_SHOW_OVERFLOW, NO_COLOR.
Exit status: 0 done, 1 a run or a verification failed, 2 wrong usage, 128 + s ended by signal s.)";

void run_tool(int argc, char** argv) {
  command_line line("pleat", "Network-oblivious algorithms folded onto the cores of one machine");
  tool_command tool = line.tool();
  tool.set_version_flag("--version", "pleat " PLEAT_VERSION);
  add_topology_command(tool);
  add_place_command(tool);
  add_run_command(tool);
  add_sweep_command(tool);
  add_report_command(tool);
  add_compare_command(tool);
  add_evaluate_command(tool);
  add_predict_command(tool);
  add_probe_command(tool);
  add_matrix_command(tool);
  add_schedule_command(tool);
  // Last, because commands inherit what is set before they are added.
  tool.footer(examples);
  line.read(argc, argv);
}

outcome guarded_main(int argc, char** argv) {
  return outcome_of([&] {
    if (argc == 3 && std::string_view(argv[1]) == measure_case_word)
      throw finished{measure_case(argv[2])};
    run_tool(argc, argv);
  });
}

}  // namespace

void print_data(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace pleat::bench

int main(int argc, char** argv) {
  // Measured workers stay on their processors, and on those that were asked for.
  ::setenv("PLEAT_PIN", "1", 0);
  ::setenv("PLEAT_CLAIM_CORES", "0", 0);
  const pleat::bench::outcome end = pleat::bench::guarded_main(argc, argv);
  complain(end);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return end.exit_code;
  const int number = errno == 0 ? EIO : errno;
  pleat::bench::complain(
      {1, "cannot write the results: " + std::generic_category().message(number)});
  return 1;
}
