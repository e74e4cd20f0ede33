// SPDX-License-Identifier: Apache-2.0
//
// pleat-openmpi, pleat-mpich: what is measured of the processes of an MPI.
//
//     mpirun.openmpi -n 4 pleat-openmpi probe --json
//
// Rank 0 alone speaks; the exit status is the same on all ranks.
#include <memory>
#include <mpi.h>
#include <string>
#include <string_view>

#include <pleat/channels/version.hpp>

#include "base/process_defaults.hpp"
#include "chosen_run.hpp"
#include "measure_ranks.hpp"
#include "rank_group.hpp"
#include "rank_probe.hpp"
#include "sweep/case_request.hpp"
#include "tool/command_line.hpp"
#include "tool/outcome.hpp"

namespace pleat::bench {
namespace {

constexpr const char* name = "pleat-" PLEAT_MPI_NAME;

// The run that the words ask for; none if they ask for help or the version, which is printed.
chosen_run chosen_by(int argc, char** argv) {
  chosen_run chosen;
  command_line line(name, "Costs of the processes of MPI, measured");
  tool_command tool = line.tool();
  tool.set_version_flag("--version",
                        std::string(name) + " " PLEAT_VERSION " (MPI " PLEAT_MPI_VERSION ")");
  const auto probe = std::make_shared<distributed_probe>();
  auto probing = tool.add_subcommand(
      "probe", "Measure what a superstep costs on every level, those between processes on top");
  probe->machine.add_to(probing,
                        "How many processors of each rank (default: its share of the node's)");
  probing.add_option("--rounds", probe->rounds, "Samples of every size")
      .type_name("K")
      .capture_default_str();
  probing.add_flag("--json", probe->json,
                   "Print JSON, also a model for pleat evaluate --model and pleat predict --model");
  probing.callback([probe, &chosen] { chosen = *probe; });
  auto mpi = tool.add_subcommand("mpi", "For MPI programs that are not written with Pleat");
  add_tune_collectives(mpi, name, chosen);
  tool.footer(std::string("Examples, with the launcher of this MPI:\n  mpirun -n 16 ") + name +
              " mpi tune > table\n  mpirun -n 4 " + name +
              " probe --json\n"
              "Each rank uses its share of the cores of its node.\n"
              "Exit status: 0 done, 1 a run failed, 2 wrong usage.");
  line.read(argc, argv);
  return chosen;
}

void run_over(const rank_group& all, int argc, char** argv) {
  chosen_run chosen;
  all.first([&] { chosen = chosen_by(argc, argv); });
  if (all.greatest(all.is_first() && chosen ? 1 : 0) == 0) return;
  all.each([&] {
    if (!all.is_first()) chosen = chosen_by(argc, argv);
  });
  chosen(all);
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) {
  int provided = 0;
  pleat::detail::defaults.claim_cores = false;  // as in `pleat`
  const bool of_a_sweep = argc == 3 && std::string_view(argv[1]) == pleat::bench::measure_case_word;
  if (of_a_sweep) pleat::bench::yield_to_the_sweep();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const pleat::bench::rank_group all(MPI_COMM_WORLD);
  const pleat::bench::outcome end = pleat::bench::outcome_of([&] {
    if (of_a_sweep)
      pleat::bench::measure_ranks(all, argv[2]);
    else
      pleat::bench::run_over(all, argc, argv);
  });
  if (all.is_first()) complain(end);
  MPI_Finalize();
  return end.exit_code;
}
