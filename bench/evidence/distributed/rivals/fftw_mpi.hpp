// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <mpi.h>
#include <span>

#include <fftw3-mpi.h>

namespace pleat::bench {

/// FFTW's transform of n complex numbers over the ranks, in natural order, planned with
/// FFTW_MEASURE, on `threads` threads of each rank. Several lines are each rank's own, as many on
/// all of them.
class fftw_mpi {
 public:
  /// Plans transforms of `lines` lines of n numbers. Requires: equal blocks, which FFTW chooses for
  /// powers of two. Throws: std::invalid_argument, if it would not give this rank a block of
  /// `block` numbers.
  fftw_mpi(MPI_Comm comm, std::size_t n, std::size_t lines, std::size_t block, int threads);
  fftw_mpi(const fftw_mpi&) = delete;
  fftw_mpi& operator=(const fftw_mpi&) = delete;
  ~fftw_mpi();

  void load(std::span<const std::complex<double>> block);
  void transform() { fftw_execute(plan_); }
  /// The block, as it is now.
  [[nodiscard]] std::span<const std::complex<double>> result() const;

 private:
  std::size_t block_;
  fftw_complex* numbers_ = nullptr;
  fftw_plan plan_ = nullptr;
};

}  // namespace pleat::bench
