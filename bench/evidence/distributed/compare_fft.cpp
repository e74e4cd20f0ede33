// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>

#include "work_of_ranks.hpp"

#include <fftw3-mpi.h>

namespace pleat::bench {
namespace {

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

/// ‖a − b‖ / ‖b‖ of all ranks.
double relative_error(std::span<const std::complex<double>> a,
                      std::span<const std::complex<double>> b) {
  double sums[2] = {};
  for (std::size_t i = 0; i < b.size(); ++i) {
    sums[0] += std::norm(a[i] - b[i]);
    sums[1] += std::norm(b[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return std::sqrt(sums[0] / sums[1]);
}

}  // namespace

void compare_distributed_fft(pleat::machine& machine, std::size_t n, std::size_t lines,
                             std::size_t repetitions) {
  using number = std::complex<double>;
  if (n > std::size_t{std::numeric_limits<int>::max()} / lines)
    throw usage_error("fft: fewer numbers, FFTW counts in int");
  if (lines % machine.ranks() != 0 && lines != 1)
    throw usage_error("fft: as many lines on all ranks, or one: take a multiple of " +
                      std::to_string(machine.ranks()));
  pleat::distributed<number> data(machine, n * lines);
  const auto fill = [&] {
    data.fill(machine, [](std::size_t i) {
      return number(scrambled_share(2 * i) - 0.5, scrambled_share(2 * i + 1) - 0.5);
    });
  };
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  fftw_mpi rival(MPI_COMM_WORLD, n, lines, data.local().size(), threads);
  fill();
  const std::vector<number> start(data.local().begin(), data.local().end());
  compare_sides(machine,
                {.work = lines == 1 ? "distributed-fft" : "distributed-fft-batch",
                 .n = n,
                 .type = "c128",
                 .rival = "fftw-mpi, " PLEAT_MPI_NAME,
                 .rival_version = PLEAT_FFTW_VERSION ", " PLEAT_MPI_VERSION},
                {.prepare_ours = fill,
                 .ours = [&] { pleat::fft(machine, data, {.batch = lines}); },
                 .prepare_rival = [&] { rival.load(start); },
                 .rival = [&] { rival.transform(); },
                 .check = [&]() -> std::string {
                   return relative_error(data.local(), rival.result()) < 1e-14
                              ? ""
                              : "pleat and the rival have different numbers";
                 }},
                repetitions);
}

}  // namespace pleat::bench
