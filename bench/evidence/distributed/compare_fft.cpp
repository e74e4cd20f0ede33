// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <string>
#include <vector>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>

#include "rivals/fftw_mpi.hpp"
#include "work_of_ranks.hpp"
#include "works.hpp"

namespace pleat::bench {

namespace {

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
