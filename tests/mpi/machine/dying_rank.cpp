// SPDX-License-Identifier: Apache-2.0
// dying_rank sync|pop|collective kill|exit: the process of the last rank dies in the middle of a
// run in which all others wait for it.
// dying_rank outlive: the machine is destroyed after MPI_Finalize.
// dying_rank unbound: the kernel refuses to bind workers, and nobody has asked for it.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mpi.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/collectives/reduce.hpp>
#include <pleat/mpi/over.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

namespace {
bool refuses = false;
}

extern "C" int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (!refuses) return static_cast<int>(::syscall(SYS_sched_setaffinity, thread, bytes, set));
  errno = EPERM;
  return -1;
}

namespace {

void die(const std::string& how) {
  if (how == "kill")
    std::raise(SIGKILL);
  else
    std::_Exit(3);
}

pleat::task<> wait_for_last(pleat::vp& me, const std::string& where, const std::string& how) {
  const std::size_t last = me.size() - 1;
  co_await me.sync(0);
  if (me.rank() == last) die(how);
  if (where == "pop") (void)co_await me.pop<int>(last);
  if (where == "collective") (void)co_await pleat::all_reduce(me, 1, std::plus<>{});
  co_await me.sync(0);
}

/// One worker for each core of the node, or for each process if these are more.
bool run_unbound() {
  pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
  machine.run(16, [](pleat::vp& me) -> pleat::task<> {
    me.send((me.rank() + 5) % me.size(), 1);
    co_await me.sync(0);
  });
  return machine.threads() ==
         std::max<std::size_t>(machine.ranks(), pleat::topology::host().available());
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc == 2 && argv[1] == std::string("unbound")) {
    refuses = true;
    if (run_unbound()) std::puts("as many workers as cores");
    MPI_Finalize();
    return 0;
  }
  if (argc == 2) {
    const pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD, {.processors = 1}));
    MPI_Finalize();
    return 0;
  }
  if (argc != 3) return 0;  // an error is what is waited for
  const std::string where = argv[1], how = argv[2];
  {
    pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD, {.processors = 1}));
    machine.run(2 * machine.ranks(), [&](pleat::vp& me) { return wait_for_last(me, where, how); });
  }
  MPI_Finalize();
  return 0;
}
