// SPDX-License-Identifier: Apache-2.0
#include "rivals/fftw_transform.hpp"

#include <fftw3.h>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

// FFTW has each function once for every precision.
#define PLEAT_FFTW(T, prefix)                                                                     \
  template <> struct fftw_transform<T>::plan { prefix##_plan steps; };                            \
  template <>                                                                                     \
  fftw_transform<T>::fftw_transform(std::size_t n, std::size_t batch, std::complex<T>* from,      \
                                    std::complex<T>* to, unsigned threads, bool measure)          \
      : plan_(std::make_unique<plan>()) {                                                         \
    static const bool ready = prefix##_init_threads() != 0;                                       \
    if (!ready) throw error("FFTW cannot use threads; leave it out with --rivals");               \
    prefix##_plan_with_nthreads(static_cast<int>(threads));                                       \
    const int size = static_cast<int>(n);                                                         \
    plan_->steps = prefix##_plan_many_dft(                                                        \
        1, &size, static_cast<int>(batch), reinterpret_cast<prefix##_complex*>(from), nullptr, 1, \
        size, reinterpret_cast<prefix##_complex*>(to), nullptr, 1, size, FFTW_FORWARD,            \
        measure ? FFTW_MEASURE : FFTW_ESTIMATE);                                                  \
    if (plan_->steps == nullptr)                                                                  \
      throw error("FFTW has no plan for this size; leave it out with --rivals");                  \
  }                                                                                               \
  template <> fftw_transform<T>::~fftw_transform() { prefix##_destroy_plan(plan_->steps); }       \
  template <> void fftw_transform<T>::operator()() const { prefix##_execute(plan_->steps); }
PLEAT_FFTW(double, fftw)
PLEAT_FFTW(float, fftwf)
#undef PLEAT_FFTW

}  // namespace pleat::bench
