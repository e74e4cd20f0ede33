// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/machine.hpp>

#include "collective.hpp"
#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Pleat's collective operations with one virtual processor on each processor of a machine, under
/// the rules of the rivals (mpi_main.cpp): collective_share says what each VP brings and must have.
class our_collectives {
 public:
  /// `on` must outlive it.
  explicit our_collectives(machine& on) : on_(&on) {}

  /// Performs it once on spoilt results and checks every element of every VP's.
  /// Throws: pleat::error if one is wrong.
  void verify(const collective& one, std::uint64_t seed);

  /// Returns the seconds of each of `repetitions` on fresh input (seed, seed + 1, …), after one
  /// that is not kept. In a repetition every VP writes its input, all meet, and each times its
  /// operation; the slowest VP's time counts.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions,
                                         std::uint64_t seed);

 private:
  machine* on_;
};

/// Bruck's index operation among 64 virtual processors, one radix beside the others.
void measure_index(testbed& on, const benchmark_options& options, const runner& run);

/// Circulant schedules of all ranks, one by one and as a table. Needs no machine.
void measure_schedule(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
