// SPDX-License-Identifier: Apache-2.0
#include <pleat/channels/version.hpp>

#include "tool.hpp"

namespace pleat::bench {
namespace {

void run_studies(int argc, char** argv) {
  command_line line("pleat", "Studies of programs, machines and results, for `pleat`");
  tool_command tool = line.tool();
  tool.set_version_flag("--version", "pleat " PLEAT_VERSION);
  add_place_command(tool);
  add_report_command(tool);
  add_compare_command(tool);
  add_evaluate_command(tool);
  add_probe_command(tool);
  add_matrix_command(tool);
  add_schedule_command(tool);
  line.read(argc, argv);
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  return pleat::bench::exit_code_of([&] { pleat::bench::run_studies(argc, argv); });
}
