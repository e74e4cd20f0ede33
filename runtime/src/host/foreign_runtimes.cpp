// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "host/binding.hpp"

// OpenMP's interface, as in omp.h.
extern "C" {
[[gnu::weak]] int omp_in_parallel();
[[gnu::weak]] int omp_get_num_places();
[[gnu::weak]] int omp_get_place_num_procs(int place);
[[gnu::weak]] void omp_get_place_proc_ids(int place, int* ids);

// Functions that oneTBB's headers call for this_task_arena::current_thread_index(), with null, and
// for task::current_context(). They are in the binary interface of oneTBB 2021 and later.
[[gnu::weak]] unsigned short pleat_tbb_execution_slot(const void* data) __asm__(
    "_ZN3tbb6detail2r114execution_slotEPKNS0_2d114execution_dataE");
[[gnu::weak]] void* pleat_tbb_current_context() __asm__("_ZN3tbb6detail2r115current_contextEv");
}

namespace pleat::detail {

namespace {

constexpr unsigned short no_slot = 0xffff;  // slot of a thread not registered with oneTBB

bool in_openmp_region() noexcept { return &omp_in_parallel != nullptr && omp_in_parallel() != 0; }

// Tells whether the thread is in a task of oneTBB. A request for the context registers a thread
// with oneTBB, so only registered threads request it.
bool in_tbb_task() noexcept {
  return &pleat_tbb_execution_slot != nullptr && &pleat_tbb_current_context != nullptr &&
         pleat_tbb_execution_slot(nullptr) != no_slot && pleat_tbb_current_context() != nullptr;
}

/// Tells whether OpenMP binds threads, by its environment variables. A query of places may start
/// the OpenMP runtime, which is needless if it binds no threads.
bool openmp_binds_threads() noexcept {
  constexpr std::array variables{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                 "KMP_AFFINITY"};
  return std::ranges::any_of(variables,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

bool in_foreign_region() noexcept { return in_openmp_region() || in_tbb_task(); }

std::vector<std::vector<unsigned>> openmp_places() {
  std::vector<std::vector<unsigned>> places;
  if (&omp_get_num_places == nullptr || &omp_get_place_num_procs == nullptr ||
      &omp_get_place_proc_ids == nullptr || !openmp_binds_threads())
    return places;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    places.emplace_back(ids.begin(), ids.end());
  }
  return places;
}

}  // namespace pleat::detail
