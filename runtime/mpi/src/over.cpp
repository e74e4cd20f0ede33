// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "check.hpp"
#include "communicator_state.hpp"
#include "machine/environment.hpp"
#include "mpi_link.hpp"

namespace pleat::mpi {

namespace {

#ifdef MPICH_VERSION
constexpr const char* own_launcher = "MPICH's mpiexec (on Debian mpiexec.hydra)";
#else
constexpr const char* own_launcher = "Open MPI's mpirun (on Debian mpirun.openmpi)";
#endif

/// Refuses processes that the launcher of another MPI has started: each of them is alone and would
/// do the work of all. A process that another has started by MPI_Comm_spawn may be alone, and so
/// may the tasks of Slurm, whose variables say nothing of MPI.
void check_launcher() {
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (processes != 1 || parent != MPI_COMM_NULL) return;
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const said = std::getenv(name);
    if (said == nullptr || std::atol(said) <= 1) continue;
    throw usage_error(std::string("the launcher has started ") + said + " processes (" + name +
                      "), but each is alone, as under the launcher of another MPI: start them by " +
                      own_launcher + ", or unset the variable if this one is to be alone");
  }
}

void require_usable(MPI_Comm processes) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0) throw usage_error(while_mpi_lasts);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_SINGLE) {
    throw usage_error(
        "a machine over ranks has threads: initialise MPI with MPI_Init_thread and "
        "MPI_THREAD_FUNNELED");
  }
  if (processes == MPI_COMM_NULL)
    throw usage_error("MPI_COMM_NULL has no processes to make a machine of");
  int inter = 0;
  MPI_Comm_test_inter(processes, &inter);
  if (inter != 0) {
    throw usage_error(
        "a machine over ranks is made of one group of processes: merge the inter-communicator "
        "with MPI_Intercomm_merge");
  }
  check_launcher();
}

template <class Act> std::exception_ptr failure_of(const Act& act) {
  try {
    act();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

rank_options over(MPI_Comm processes, machine_options options) {
  require_usable(processes);
  const std::shared_ptr<communicator_state> common = communicator_state::of(processes);
  bool reads = true;
  int left = -1;
  const std::exception_ptr failed = failure_of([&] {
    reads = detail::environment::read_processes();
    if (!options.topology) options.topology = topology::host();
    left = common->left_for(*options.topology, reads);
  });
  const bool alike = agree(processes, failed, left);
  if (!alike || left == -1) common->renew(processes, *options.topology, reads);
  agree(processes, failure_of([&] {
          common->settle();
          common->here().divide_cores(options, common->overlaps());
        }));
  auto link = std::make_shared<mpi_link>(common);
  return {std::move(options), std::move(link)};
}

}  // namespace pleat::mpi
