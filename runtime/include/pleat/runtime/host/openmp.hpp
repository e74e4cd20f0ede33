// SPDX-License-Identifier: Apache-2.0
//
// Functions for sources that are compiled with OpenMP. The library itself does not use OpenMP, and
// pleat.hpp does not include this header.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat::openmp {

#ifdef _OPENMP

/// Returns a value for machine_options::processors, for a machine with threads of its own that is
/// to be no larger than a parallel region: omp_get_max_threads() (OMP_NUM_THREADS,
/// omp_set_num_threads), at most the cores that this process may use. Machines do not call this by
/// themselves. Throws: as topology::host.
[[nodiscard]] inline unsigned processors() {
  return std::min(static_cast<unsigned>(std::max(omp_get_max_threads(), 1)),
                  topology::host().available());
}

/// Opens a parallel region of `threads` threads and calls work() on the first one, the caller. The
/// others join the machine until work() returns, and take part in its runs. Inside a region of
/// other threads, where OpenMP does not nest, the caller is alone, and that suffices.
///
/// ```c++
/// pleat::machine on({.workers = pleat::workers::borrowed});
/// pleat::openmp::region(on, [&] { pleat::sort(on, keys); });
/// ```
///
/// Throws: what work() throws; what machine::gathering and machine::join throw.
template <std::invocable F>
void region(machine& on, F&& work, int threads = omp_get_max_threads()) {
  std::optional<machine::gathering> open(std::in_place, on);
  const std::uint64_t number = open->number();
  std::exception_ptr failed;
#pragma omp parallel num_threads(threads) default(shared)
  {
    try {
      if (omp_get_thread_num() != 0) {
        static_cast<void>(on.join(number));
      } else {
        try {
          std::forward<F>(work)();
        } catch (...) {
          open.reset();
          throw;
        }
        open.reset();
      }
    } catch (...) {
#pragma omp critical(pleat_openmp_region)
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
}

/// Calls work() inside a parallel region: every thread of the team must call by_team, as with a
/// barrier. Thread 0 calls work(), and the others join the machine until it returns. The threads
/// leave together.
///
/// ```c++
/// #pragma omp parallel
/// {
///   compute_my_part();
///   pleat::openmp::by_team(on, [&] { pleat::sort(on, keys); });
/// }
/// ```
///
/// Throws: on thread 0 what work() and machine::gathering throw, which must be caught inside the
/// region, as OpenMP demands; on the others what machine::join throws.
template <std::invocable F> void by_team(machine& on, F&& work) {
  const bool first = omp_get_thread_num() == 0;
  std::optional<machine::gathering> open;
  std::exception_ptr failed;
  std::shared_ptr<std::uint64_t> number;  // of the team's gathering; 0: there is none
#pragma omp single copyprivate(number)
  number = std::make_shared<std::uint64_t>(0);
  try {
    if (first) *number = open.emplace(on).number();
  } catch (...) {
    failed = std::current_exception();
  }
#pragma omp barrier
  try {
    if (!first) {
      static_cast<void>(on.join(*number));
    } else if (open) {
      std::forward<F>(work)();
    }
  } catch (...) {
    failed = std::current_exception();
  }
  open.reset();
#pragma omp barrier
  if (failed) std::rethrow_exception(failed);
}

#else

template <class F> void region(machine&, F&&, int = 0) {
  static_assert(!std::same_as<F, F>, "pleat::openmp needs OpenMP: compile with -fopenmp");
}
template <class F> void by_team(machine&, F&&) {
  static_assert(!std::same_as<F, F>, "pleat::openmp needs OpenMP: compile with -fopenmp");
}

#endif

}  // namespace pleat::openmp
