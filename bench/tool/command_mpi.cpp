// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/error.hpp>

#include "tool.hpp"

namespace pleat::bench {

void add_mpi_command(tool_command& tool) {
  auto command = tool.add_subcommand("mpi", "Says which command tunes collectives of MPI programs");
  command.add_subcommand("tune", "Is a command of the tool over ranks: pleat-openmpi, pleat-mpich")
      .callback([] {
        throw usage_error(
            "mpi tune times messages between ranks; start the tool of that MPI with its launcher: "
            "mpirun -n 16 pleat-openmpi mpi tune > table, or with pleat-mpich");
      });
}

}  // namespace pleat::bench
