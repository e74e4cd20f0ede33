// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstddef>
#include <fftw3.h>
#include <memory>
#include <span>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "gallery/poisson.hpp"
#include "gallery_rivals.hpp"
#include "measure/big_block.hpp"

namespace pleat::bench {

struct fftw_poisson::plans {
  std::size_t n, columns;  ///< of the transforms: those beyond n/2 are conjugates
  int threads;
  big_block real[2], spectrum;  // pages: as aligned as FFTW wants them
  std::vector<double> numbers;
  fftw_plan there[2], back[2];
};

fftw_poisson::fftw_poisson(std::size_t n, unsigned threads) : plans_(std::make_unique<plans>()) {
  plans& my = *plans_;
  static const bool ready = fftw_init_threads() != 0;
  if (!ready) throw error("FFTW cannot use threads; leave it out with --rivals");
  fftw_plan_with_nthreads(static_cast<int>(threads));
  my.n = n;
  my.columns = n / 2 + 1;
  my.threads = static_cast<int>(threads);
  my.numbers = gallery::laplace_numbers(n);
  my.spectrum = big_block(bytes_of({n, my.columns, sizeof(fftw_complex)}));
  const auto side = static_cast<int>(n);
  auto* const numbers = my.spectrum.as<fftw_complex>(n * my.columns).data();
  for (int i = 0; i < 2; ++i) {
    my.real[i] = big_block(bytes_of({n, n, sizeof(double)}));
    double* const real = side_of(i).data();
    my.there[i] = fftw_plan_dft_r2c_2d(side, side, real, numbers, FFTW_MEASURE);
    my.back[i] = fftw_plan_dft_c2r_2d(side, side, numbers, real, FFTW_MEASURE);
    if (my.there[i] == nullptr || my.back[i] == nullptr)
      throw error("FFTW has no plan for this size; leave it out with --rivals");
  }
}

fftw_poisson::~fftw_poisson() {
  for (int i = 0; i < 2; ++i) {
    fftw_destroy_plan(plans_->there[i]);
    fftw_destroy_plan(plans_->back[i]);
  }
}

std::span<double> fftw_poisson::side_of(int which) const {
  return plans_->real[which].as<double>(plans_->n * plans_->n);
}

void fftw_poisson::solve() {
  plans& my = *plans_;
  const auto spectrum = my.spectrum.as<std::complex<double>>(my.n * my.columns);
  const double points = static_cast<double>(my.n) * static_cast<double>(my.n);
  for (int which = 0; which < 2; ++which) {
    fftw_execute(my.there[which]);
#pragma omp parallel for num_threads(my.threads) schedule(static)
    for (std::size_t i = 0; i < my.n; ++i)
      for (std::size_t j = 0; j < my.columns; ++j) {
        const double number = (my.numbers[i] + my.numbers[j]) * points;
        auto& x = spectrum[i * my.columns + j];
        x = number == 0 ? 0 : x / number;
      }
    fftw_execute(my.back[which]);
  }
}

}  // namespace pleat::bench
