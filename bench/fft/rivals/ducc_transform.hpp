// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "fft/fft_data.hpp"

namespace pleat::bench {

/// Forward transforms of one shape by DUCC, out of place, on that many threads. Its plans are kept
/// from the first call. Number and Result as fftw_transform has them.
template <class Number, class Result>
std::function<void()> ducc_transform(const fft_shape& shape, const Number* from, Result* to,
                                     unsigned threads);

}  // namespace pleat::bench
