// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/runtime/machine.hpp>

#include "collective.hpp"
#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Pleat's collective operations, one virtual processor on each processor of a machine, measured by
/// the rules of the rivals (mpi_main.cpp). Inputs and results are those of collective_share.
class our_collectives {
 public:
  /// `on` must outlive it.
  explicit our_collectives(machine& on) : on_(&on) {}

  /// Performs the operation once on spoilt results and checks every element of every VP's result.
  /// Throws: pleat::error if an element is wrong.
  void verify(const collective& one, std::uint64_t seed);

  /// Returns the slowest VP's seconds in each of `repetitions`, after one that is not kept. In a
  /// repetition every VP fills its input from the next seed (seed, seed + 1, …), all VPs
  /// synchronise, and each times its own operation.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions,
                                         std::uint64_t seed);

 private:
  machine* on_;
};

/// Bruck's index operation among 64 virtual processors: our choice of radix beside powers of two.
void measure_index(testbed& on, const benchmark_options& options, const runner& run);

/// Circulant schedules of all ranks, one by one and as a table. Needs no machine.
void measure_schedule(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
