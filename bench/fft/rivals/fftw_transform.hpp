// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "fft/fft_data.hpp"

namespace pleat::bench {

/// Plan of FFTW's forward transforms of one shape, out of place, on that many of OpenMP's threads:
/// those of its own sleep after each loop and must be woken, at up to twice the time. Number:
/// float, double, or complex numbers of them; results are complex, or real: those of cosines of
/// type 2. Plans, by estimate or by measuring, which takes seconds and overwrites both arrays.
/// Throws: pleat::error if FFTW has no such plan.
template <class Number, class Result>
std::function<void()> fftw_transform(const fft_shape& shape, Number* from, Result* to,
                                     unsigned threads, bool measure);

}  // namespace pleat::bench
