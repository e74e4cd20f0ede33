// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "base/process_defaults.hpp"
#include "check.hpp"
#include "communicator_state.hpp"
#include "processes/process_group.hpp"
#include "traffic.hpp"

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
  if (level == MPI_THREAD_SINGLE)
    throw usage_error(
        "a machine over ranks has threads: initialise MPI with MPI_Init_thread and "
        "MPI_THREAD_FUNNELED");
  if (processes == MPI_COMM_NULL)
    throw usage_error("MPI_COMM_NULL has no processes to make a machine of");
  int inter = 0;
  MPI_Comm_test_inter(processes, &inter);
  if (inter != 0)
    throw usage_error(
        "a machine over ranks is made of one group of processes: merge the inter-communicator "
        "with MPI_Intercomm_merge");
  check_launcher();
}

/// Leaves a link when its machine is destroyed, without waiting for the others: what is under way
/// is settled when all ranks make the next machine, or end MPI.
struct leave {
  std::shared_ptr<communicator_state> common;

  void operator()(traffic* what) const noexcept {
    if (what->is_open()) {
      detail::process_group::part(*what);
      what->begin_to_leave();
      common->give_back(std::unique_ptr<traffic>(what));
    } else if (what->self() == 0) {  // it stays: nobody can say what is under way
      std::fputs(
          "pleat: a machine over ranks was destroyed after MPI_Finalize: destroy it before, "
          "for instance at the end of a block around it\n",
          stderr);
    }
  }
};

template <class Act> std::exception_ptr failure_of(const Act& act) {
  try {
    act();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void traffic::enter() {
  if (!is_open()) throw usage_error(while_mpi_lasts);
  int level = MPI_THREAD_SINGLE, main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main);
  if (level == MPI_THREAD_FUNNELED && main == 0)
    throw usage_error(
        "a machine over ranks is used by the thread that has initialised MPI: call run there, or "
        "initialise MPI with MPI_THREAD_SERIALIZED");
}

rank_options over(MPI_Comm processes, machine_options options) {
  require_usable(processes);
  const std::shared_ptr<communicator_state> common = communicator_state::of(processes);
  bool reads = true;
  int left = -1;
  const std::exception_ptr failed = failure_of([&] {
    reads = detail::defaults.reads_neighbours;
    if (!options.topology) options.topology = topology::host();
    left = common->left_for(*options.topology, reads);
  });
  const bool alike = agree(processes, failed, left);
  if (!alike || left == -1) common->renew(processes, *options.topology, reads);
  agree(processes, failure_of([&] {
          common->settle();
          common->here().divide_cores(options, common->overlaps());
        }));
  return {std::move(options), std::shared_ptr<traffic>(common->take().release(), leave{common})};
}

}  // namespace pleat::mpi
