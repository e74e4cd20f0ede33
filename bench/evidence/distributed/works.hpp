// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

// Comparisons of pleat-distributed-openmpi and -mpich, a file for each. All ranks call them; rank 0
// prints a line of JSON. Throw: what compare_sides does; pleat::usage_error for sizes that the
// rival cannot have.

/// pleat::sort of n random 64-bit keys beside a sample sort by hand.
void compare_distributed_sort(pleat::machine& machine, std::size_t n, std::size_t repetitions);

/// A superstep in which every rank sends h words of 8 bytes to the others and receives as many,
/// beside MPI_Alltoallv on counts that are known.
void compare_superstep(pleat::machine& machine, std::size_t h, std::size_t repetitions);

/// `steps` steps of the heat equation on n^D cells of type double beside an exchange of halos in
/// each step, D = 1 or 2.
void compare_distributed_stencil(pleat::machine& machine, std::size_t dimensions, std::size_t n,
                                 std::size_t steps, std::size_t repetitions);

#ifdef PLEAT_WITH_FFTW_MPI
/// pleat::fft of `lines` lines of n complex numbers of type double beside FFTW's over MPI.
void compare_distributed_fft(pleat::machine& machine, std::size_t n, std::size_t lines,
                             std::size_t repetitions);
#endif

#ifdef PLEAT_WITH_SCALAPACK
/// pleat::matmul of n × n matrices of type double beside ScaLAPACK's pdgemm.
void compare_distributed_matmul(pleat::machine& machine, std::size_t n, std::size_t repetitions);
#endif

}  // namespace pleat::bench
