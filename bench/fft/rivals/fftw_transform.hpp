// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>

#include "fft/fft_data.hpp"

namespace pleat::bench {

/// FFTW's forward transforms of one shape, out of place, on that many of OpenMP's threads: those of
/// its own sleep after each loop and must be woken, at up to twice the time. Number: float, double,
/// or complex numbers of them.
template <class Number> class fftw_transform {
 public:
  using result = std::complex<fft_part<Number>>;

  /// Plans, by estimate or by measuring, which takes seconds and overwrites both arrays.
  /// Throws: pleat::error if FFTW has no such plan.
  fftw_transform(const fft_shape& shape, Number* from, result* to, unsigned threads, bool measure);
  ~fftw_transform();
  fftw_transform(const fftw_transform&) = delete;
  fftw_transform& operator=(const fftw_transform&) = delete;

  void operator()() const;

 private:
  struct plan;
  std::unique_ptr<plan> plan_;
};

}  // namespace pleat::bench
