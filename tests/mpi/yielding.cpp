// SPDX-License-Identifier: Apache-2.0
//
// Preloaded under MPICH, whose ranks spin while they wait: with more ranks than cores a rank that
// finds no progress gives its core to one that may make some. Without it, 17 ranks on two cores
// take ten times as long. (Open MPI has a parameter for it, mpi_yield_when_idle.)
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using function = unsigned (*)(void*);
  static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned progress = real(worker);
  if (progress == 0) ::sched_yield();
  return progress;
}
