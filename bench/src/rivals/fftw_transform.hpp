// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

namespace pleat::bench {

/// FFTW's forward transforms of n numbers, `batch` of them one behind the other, out of place, on
/// that many threads. T: float, double.
template <class T> class fftw_transform {
 public:
  /// Plans, by estimate or by measuring, which takes seconds and overwrites both arrays.
  /// Throws: pleat::error if FFTW has no such plan.
  fftw_transform(std::size_t n, std::size_t batch, std::complex<T>* from, std::complex<T>* to,
                 unsigned threads, bool measure);
  ~fftw_transform();
  fftw_transform(const fftw_transform&) = delete;
  fftw_transform& operator=(const fftw_transform&) = delete;

  void operator()() const;

 private:
  struct plan;
  std::unique_ptr<plan> plan_;
};

}  // namespace pleat::bench
