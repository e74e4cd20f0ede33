// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <memory>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/detail/environment.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "check.hpp"
#include "mpi_link.hpp"
#include "node.hpp"

namespace pleat::mpi {

namespace {

void check(MPI_Comm processes, const machine_options& options) {
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
  if (options.link) throw usage_error("machine_options::link is what pleat::mpi::over fills in");
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

machine_options over(MPI_Comm processes, machine_options options) {
  check(processes, options);
  const node here(processes);
  bool reads = true;
  agree(processes, failure_of([&] { reads = detail::environment::read_processes(); }));
  auto link = std::make_shared<mpi_link>(here.side_by_side(processes), here.processes(), reads);
  agree(processes, failure_of([&] {
          if (!options.topology) options.topology = topology::host();
        }));
  const bool shared = here.overlaps(*options.topology);
  agree(processes, failure_of([&] { here.divide_cores(options, shared); }));
  options.link = std::move(link);
  return options;
}

}  // namespace pleat::mpi
