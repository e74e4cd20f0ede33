// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Computes the discrete cosine transform of an array of real numbers along some of its axes. Of n
/// numbers x along an axis, result k of type
///
///     1   x_0 + (−1)^k x_(n−1) + 2 Σ_(0 < j < n−1) x_j cos(π·jk/(n − 1)),   n ≥ 2
///     2   2 Σ x_j cos(π·(2j + 1)k/2n)
///     3   x_0 + 2 Σ_(j > 0) x_j cos(π·j(2k + 1)/2n)
///     4   2 Σ x_j cos(π·(2j + 1)(2k + 1)/4n)
///
/// ```cpp
/// pleat::dct(machine, image, coefficients, {.norm = pleat::fft_norm::orthogonal});
/// ```
///
/// The inverse of type 2 is type 3, and vice versa; types 1 and 4 are their own inverses. A
/// transform and its inverse multiply by 2n (type 1: 2(n − 1)), by which `norm` divides, as fft
/// does by n.
///
/// Requires: two arrays of float or double, with the same number of dimensions; they are the same
/// array or do not overlap. Along axes that are transformed, sizes may differ as for fftn.
/// Guarantees: relative error as fft; the same result for the same number of VPs.
/// Cost: that of fftn of real numbers, and two passes over each line in the cache; for type 1 that
/// of twice as many numbers, for type 4 with odd n that of 2n complex ones. Lines of axes that are
/// not contiguous are copied meanwhile, several at a time.
/// Throws, memory and thread safety: as fftn; usage_error for other types.
///
/// Source: Makhoul, A Fast Cosine Transform in One and Two Dimensions, 1980 (types 2 and 3); Wang,
/// Fast Algorithms for the Discrete W Transform and for the Discrete Fourier Transform, 1984 (4).
template <detail::array_like In, detail::array_like Out>
requires detail::fourier::real_number<detail::array_element<Out>> &&
    detail::array_of<In, detail::array_element<Out>>
        run_report dct(machine& on, const In& in, const Out& out,
                       const trigonometric_options& options = {}) {
  using T = detail::array_element<Out>;
  return detail::fourier::transform_trigonometric<T>("dct", on, false, array_view(in),
                                                     array_view(out), options);
}

/// Computes the discrete sine transform: result k of type
///
///     1   2 Σ x_j sin(π·(j + 1)(k + 1)/(n + 1))
///     2   2 Σ x_j sin(π·(2j + 1)(k + 1)/2n)
///     3   (−1)^k x_(n−1) + 2 Σ_(j < n−1) x_j sin(π·(j + 1)(2k + 1)/2n)
///     4   2 Σ x_j sin(π·(2j + 1)(2k + 1)/4n)
///
/// A transform of type 1 and its inverse multiply by 2(n + 1). All else is as for dct.
template <detail::array_like In, detail::array_like Out>
requires detail::fourier::real_number<detail::array_element<Out>> &&
    detail::array_of<In, detail::array_element<Out>>
        run_report dst(machine& on, const In& in, const Out& out,
                       const trigonometric_options& options = {}) {
  using T = detail::array_element<Out>;
  return detail::fourier::transform_trigonometric<T>("dst", on, true, array_view(in),
                                                     array_view(out), options);
}

/// Run on the default machine.
template <detail::array_like In, detail::array_like Out>
requires requires(machine& on, const In& in, const Out& out) { pleat::dct(on, in, out); }
run_report dct(const In& in, const Out& out, const trigonometric_options& options = {}) {
  return pleat::dct(*detail::call_machine(), in, out, options);
}
template <detail::array_like In, detail::array_like Out>
requires requires(machine& on, const In& in, const Out& out) { pleat::dst(on, in, out); }
run_report dst(const In& in, const Out& out, const trigonometric_options& options = {}) {
  return pleat::dst(*detail::call_machine(), in, out, options);
}

}  // namespace pleat
