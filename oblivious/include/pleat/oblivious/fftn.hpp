// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Computes the discrete Fourier transform of an array of complex numbers along some of its axes.
/// The array has up to 8 dimensions, any sizes and any strides.
///
/// ```cpp
/// const pleat::array_view<std::complex<double>> field(data, {64, 128, 128});
/// pleat::fftn(machine, field, spectrum);
/// pleat::fftn(machine, field, field, {.axes = {{0, 2}}});           // in place
/// ```
///
/// Requires: two arrays of complex<float> or complex<double>, with the same number of dimensions:
/// array_view, or a type that converts to it, such as std::mdspan. They are the same array or do
/// not overlap. Along axes that are transformed, sizes may differ: the transform is as long as the
/// output, numbers of the input beyond that are left out, and missing ones are 0.
/// Guarantees: relative error as fft of as many numbers; the same result for the same number of
/// VPs.
///
/// Cost: O((n log n)/P) local work for n numbers in all, and one superstep, h = n/P; no superstep
/// if there are at least P indices of axes that are not transformed. Memory traffic: two passes
/// over the array, whatever the number of axes, as long as boxes of two axes fit the cache. Lines
/// that are not contiguous, nor beside contiguous ones, are copied meanwhile. If sizes differ, one
/// more pass copies. Memory: for each VP a few lines.
/// Throws: usage_error (dimensions, sizes, axes, overlap, strides by which elements of the output
/// overlap, 0 VPs); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// 2016, section 4.2: its first division, without the roots of unity.
template <detail::array_like In, detail::array_like Out>
requires detail::fourier::is_complex<detail::array_element<Out>> &&
    detail::array_of<In, detail::array_element<Out>>
        run_report fftn(machine& on, const In& in, const Out& out,
                        const fftn_options& options = {}) {
  using T = typename detail::array_element<Out>::value_type;
  return detail::fourier::transform_axes<T>("fftn", on, array_view(in), array_view(out), options);
}

/// Computes the transform of an array of real numbers along some axes: along the last of them the
/// first n/2 + 1 results, as rfft; then along the others.
///
/// ```cpp
/// pleat::rfftn(machine, image, spectrum);    // spectrum: rows x (columns/2 + 1)
/// pleat::irfftn(machine, spectrum, image);
/// ```
///
/// Requires: an array of real numbers and one of complex numbers, of the same precision and number
/// of dimensions, that do not overlap. Along the last axis the output has n/2 + 1 numbers, where n
/// is the size of the input unless `size_of_last` says another one. Along the other axes sizes may
/// differ as for fftn. All else is as for fftn.
template <detail::array_like In, detail::array_like Out>
requires detail::fourier::is_complex<detail::array_element<Out>> &&
    detail::array_of<In, typename detail::array_element<Out>::value_type>
        run_report rfftn(machine& on, const In& in, const Out& out,
                         const real_fftn_options& options = {}) {
  using T = typename detail::array_element<Out>::value_type;
  return detail::fourier::transform_real_axes<T, std::complex<T>>("rfftn", on, array_view(in),
                                                                  array_view(out), options);
}

/// Undoes rfftn: computes real numbers from the first n/2 + 1 numbers of their spectrum along the
/// last axis, where n is the size of the output. The sizes of the input may differ from those that
/// rfftn gives. Imaginary parts that are 0 in a spectrum of real numbers are not read. Memory: that
/// of fftn, and the spectrum once more. All else is as for rfftn.
template <detail::array_like In, detail::array_like Out>
requires detail::fourier::real_number<detail::array_element<Out>> &&
    detail::array_of<In, std::complex<detail::array_element<Out>>>
        run_report irfftn(machine& on, const In& in, const Out& out,
                          const real_fftn_options& options = {}) {
  using T = detail::array_element<Out>;
  return detail::fourier::transform_real_axes<std::complex<T>, T>("irfftn", on, array_view(in),
                                                                  array_view(out), options);
}

/// Run on the default machine.
template <detail::array_like In, detail::array_like Out>
requires requires(machine& on, const In& in, const Out& out) { pleat::fftn(on, in, out); }
run_report fftn(const In& in, const Out& out, const fftn_options& options = {}) {
  return pleat::fftn(*detail::call_machine(), in, out, options);
}
template <detail::array_like In, detail::array_like Out>
requires requires(machine& on, const In& in, const Out& out) { pleat::rfftn(on, in, out); }
run_report rfftn(const In& in, const Out& out, const real_fftn_options& options = {}) {
  return pleat::rfftn(*detail::call_machine(), in, out, options);
}
template <detail::array_like In, detail::array_like Out>
requires requires(machine& on, const In& in, const Out& out) { pleat::irfftn(on, in, out); }
run_report irfftn(const In& in, const Out& out, const real_fftn_options& options = {}) {
  return pleat::irfftn(*detail::call_machine(), in, out, options);
}

}  // namespace pleat
