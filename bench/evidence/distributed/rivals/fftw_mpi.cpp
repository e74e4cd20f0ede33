// SPDX-License-Identifier: Apache-2.0
#include "fftw_mpi.hpp"

#include <algorithm>
#include <stdexcept>

namespace pleat::bench {

fftw_mpi::fftw_mpi(MPI_Comm comm, std::size_t n, std::size_t lines, std::size_t block, int threads)
    : block_(block) {
  fftw_init_threads();
  fftw_mpi_init();
  fftw_plan_with_nthreads(threads);
  if (lines == 1) {
    std::ptrdiff_t in = 0, first_in = 0, out = 0, first_out = 0;
    const auto size = static_cast<std::ptrdiff_t>(n);
    const std::ptrdiff_t room = fftw_mpi_local_size_1d(size, comm, FFTW_FORWARD, FFTW_MEASURE, &in,
                                                       &first_in, &out, &first_out);
    if (static_cast<std::size_t>(in) != block || in != out)
      throw std::invalid_argument("FFTW divides these numbers otherwise: take a power of two");
    numbers_ = fftw_alloc_complex(static_cast<std::size_t>(room));
    plan_ = fftw_mpi_plan_dft_1d(size, numbers_, numbers_, comm, FFTW_FORWARD, FFTW_MEASURE);
  } else {
    const int size = static_cast<int>(n);
    numbers_ = fftw_alloc_complex(block);
    plan_ = fftw_plan_many_dft(1, &size, static_cast<int>(block / n), numbers_, nullptr, 1, size,
                               numbers_, nullptr, 1, size, FFTW_FORWARD, FFTW_MEASURE);
  }
  if (plan_ == nullptr) throw std::runtime_error("FFTW makes no plan");
}

fftw_mpi::~fftw_mpi() {
  fftw_destroy_plan(plan_);
  fftw_free(numbers_);
}

void fftw_mpi::load(std::span<const std::complex<double>> block) {
  std::ranges::copy(block, reinterpret_cast<std::complex<double>*>(numbers_));
}

std::span<const std::complex<double>> fftw_mpi::result() const {
  return {reinterpret_cast<const std::complex<double>*>(numbers_), block_};
}

}  // namespace pleat::bench
