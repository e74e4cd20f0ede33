// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/runtime/machine.hpp>

#include "arrays/fft_numbers.hpp"
#include "tool/npy.hpp"

namespace pleat::bench {

using arrays::fft_kind;

/// `fft, ifft, rfft, irfft, fft2, ifft2`.
[[nodiscard]] std::string fft_kind_names();
/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] fft_kind parse_fft_kind(const std::string& name);
/// Dimensions that the kind takes: one, or two, row by row; two for those of a matrix.
[[nodiscard]] npy_dimensions dimensions_of(fft_kind kind);

/// The result of the transform, of the same precision. Rows of n real numbers have n/2 + 1 results;
/// irfft takes n as even, as NumPy does unless told.
/// Throws: pleat::error, with the NumPy call that helps, for numbers there is no such transform of.
[[nodiscard]] npy_contents spectrum_of(fft_kind kind, const npy_contents& from,
                                       const std::string& name);

}  // namespace pleat::bench
