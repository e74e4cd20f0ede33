// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <pleat/runtime/machine.hpp>

#include "sort/distribution.hpp"

namespace pleat::bench {

/// Description of a work and of its rival, for the line of JSON.
struct work_description {
  std::string work;   ///< e.g. "distributed-sort"
  std::size_t n = 0;  ///< problem size, in the work's own unit
  std::string type;   ///< of the elements
  std::string rival;  ///< what the rival is, in words
  std::string rival_version;
};

/// Functions that do one work over ranks, by Pleat and by a rival. All ranks call all of them, in
/// the same order. `check` returns the same text on all ranks: an error in the last results, or an
/// empty one if they are right.
struct both_sides {
  std::function<void()> prepare_ours;  ///< not timed; may be empty
  std::function<void()> ours;
  std::function<void()> prepare_rival;
  std::function<void()> rival;
  std::function<std::string()> check;
  std::size_t calls = 1;  ///< how often one call of `ours` or `rival` does the work
};

/// Runs both once, checks, and then times them in turns, in random order. A sample is the time from
/// a barrier until the slowest rank is done. Rank 0 prints medians as a line of JSON, an entry of
/// `comparisons` in `pleat compare`. Throws: std::runtime_error on all ranks if `check` fails.
void compare_sides(pleat::machine& machine, const work_description& what, const both_sides& sides,
                   std::size_t repetitions);

/// Tells whether `here` is true on all ranks.
[[nodiscard]] bool everywhere(bool here);

/// Hashes i to a number in [0, 1).
[[nodiscard]] constexpr double scrambled_share(std::uint64_t i) {
  return static_cast<double>(mixed(i) >> 11U) * 0x1p-53;
}

// Comparisons of pleat-distributed-openmpi and -mpich, one source file each. All ranks call them;
// rank 0 prints a line of JSON. Throw: what compare_sides throws; pleat::usage_error or, because of
// FFTW, std::invalid_argument for sizes that the rival does not support.

/// pleat::sort of n random 64-bit keys beside a hand-written sample sort.
void compare_distributed_sort(pleat::machine& machine, std::size_t n, std::size_t repetitions);

/// A superstep in which every rank sends h words of 8 bytes to the others and receives as many,
/// beside MPI_Alltoallv with known counts.
void compare_superstep(pleat::machine& machine, std::size_t h, std::size_t repetitions);

/// `steps` steps of the heat equation on n^D cells of type double beside an MPI program that
/// exchanges halos in each step; D = `dimensions`, 1 or 2.
void compare_distributed_stencil(pleat::machine& machine, std::size_t dimensions, std::size_t n,
                                 std::size_t steps, std::size_t repetitions);

#ifdef PLEAT_WITH_FFTW_MPI
/// pleat::fft of `lines` lines of n complex numbers of type double beside FFTW over MPI.
void compare_distributed_fft(pleat::machine& machine, std::size_t n, std::size_t lines,
                             std::size_t repetitions);
#endif

#ifdef PLEAT_WITH_SCALAPACK
/// pleat::matmul of n × n matrices of type double beside ScaLAPACK's pdgemm.
void compare_distributed_matmul(pleat::machine& machine, std::size_t n, std::size_t repetitions);
#endif

}  // namespace pleat::bench
