// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <mpi.h>

#include <pleat/runtime/machine.hpp>

namespace pleat::mpi {

/// Options of a machine over the processes of a communicator. Every process of it calls this, makes
/// a machine of the result, and calls the same runs on it in the same order:
///
/// ```cpp
/// int provided;
/// MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
/// {
///   pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
///   machine.run(1 << 20, program);   // each process carries out machine.vps_here(1 << 20)
/// }
/// MPI_Finalize();
/// ```
///
/// The ranks of the machine are those of the communicator in the same order, but for the processes
/// of a node, which are neighbours: see machine::rank. Where the processes of a node may use the
/// same cores, they divide them among themselves, in order of rank; not if `options.place` or
/// PLEAT_PLACE says where, or if the launcher has bound them apart. Where the kernel refuses to
/// bind workers and nobody has asked for it, each process has as many as its share of the cores,
/// which the kernel places. `options.processors` are those of one process. Where a node has more
/// processes than cores and `options.wait` says nothing, they yield when they wait.
///
/// The machine talks on a communicator of its own, by messages that worker 0 of each process sends
/// and receives: in a run, when it waits or comes to a barrier. MPI may be used by the same thread
/// before, between and behind runs, and by the programs that worker 0 carries out. An error of MPI
/// there ends all processes, and so does one of them that dies. If a machine cannot be made on one
/// of them, none has it: its constructor throws the first cause on all.
///
/// Requires: that the machine is destroyed by all processes, before MPI_Finalize; later, rank 0
/// says so on standard error. Nobody waits there, so that several machines may be destroyed in any
/// order; runs that others call afterwards throw usage_error, which names the process that has
/// left. Memory of messages under way is freed when the next machine of the communicator is made,
/// or when MPI_Finalize begins. Collective over `processes`. Cost: some small
/// collective operations of MPI. Throws: usage_error (MPI is not initialised, or with less than
/// MPI_THREAD_FUNNELED; not an intra-communicator; processes that the launcher of another MPI has
/// started, each alone); what topology::host throws, and environment_error with its words on the
/// other processes; environment_error (an error of MPI that `processes` returns); std::bad_alloc.
///
/// Thread safety: as the level says that MPI was initialised with; with MPI_THREAD_FUNNELED only
/// the main thread may make machines and call run on them.
[[nodiscard]] rank_options over(MPI_Comm processes, machine_options options = {});

}  // namespace pleat::mpi
