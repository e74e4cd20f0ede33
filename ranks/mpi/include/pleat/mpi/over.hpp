// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <mpi.h>

#include <pleat/runtime/machine.hpp>

namespace pleat::mpi {

/// Makes the options of a machine over the processes of a communicator. Every process of it calls
/// this, makes a machine of the result, and calls the same runs on it in the same order:
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
/// The ranks of the machine are in the order of the communicator, except that the processes of a
/// node are neighbours. Processes of a node that may use the same cores (those that the launcher
/// has not bound apart) divide them, in order of rank, unless `options.place` or PLEAT_PLACE is
/// set. If the kernel refuses to bind workers, and neither `options.workers` nor PLEAT_PIN asks for
/// it, each process has as many workers as its share of the cores, which the kernel places.
/// `options.processors` is for one process. If a node has more processes than cores, and neither
/// `options.wait` nor PLEAT_WAIT is set, processes yield at once when they wait.
///
/// The machine has a communicator of its own, for messages that worker 0 of each process sends and
/// receives during a run, when it waits or reaches a barrier. The same thread may use MPI before,
/// between and after runs, and so may the VPs that worker 0 carries out. An error of MPI on that
/// communicator ends all processes, and so does a process that dies. If one process cannot make its
/// machine, none has one: the constructor throws the first cause on all.
///
/// Requires: all processes destroy the machine before MPI_Finalize; if one does so later, rank 0
/// says so on standard error. The destructor waits for no other process, so machines may be
/// destroyed in any order; runs that others call afterwards throw a usage_error that names the
/// process that left. Memory of messages under way is freed when the next machine of the
/// communicator is made, or when MPI_Finalize begins. Collective over `processes`. Cost: some small
/// collective operations of MPI. Throws: usage_error (MPI is not initialised, or with less than
/// MPI_THREAD_FUNNELED, or finalised; `processes` is no intra-communicator; the launcher of another
/// MPI has started processes, each alone); what topology::host throws, and environment_error with
/// its text on the others; environment_error (an error that MPI returns); std::bad_alloc.
///
/// Thread safety: that of the level with which MPI was initialised; with MPI_THREAD_FUNNELED only
/// the main thread may make machines and call run on them.
[[nodiscard]] rank_options over(MPI_Comm processes, machine_options options = {});

}  // namespace pleat::mpi
