// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Computes the two-dimensional discrete Fourier transform of a matrix of complex numbers, of any
/// size: transforms all rows, then all columns.
///
/// ```cpp
/// pleat::strided_view<std::complex<double>> image(data, rows, columns, stride);
/// pleat::fft2(machine, image, spectrum);
/// pleat::fft2(machine, spectrum, image, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: two matrices of the same size, of complex<float> or complex<double>: strided_view, or
/// std::mdspan whose rows have adjacent elements. They are the same matrix or share no element.
/// Guarantees: relative error as fft of as many numbers; the same result for the same number of
/// VPs.
///
/// Cost: O((n log n)/P) local work for n numbers in all, h = n/P in one superstep; at most one VP
/// for each row works in the first part, and at most one for each group of columns, one vector
/// wide, in the second. Memory: for each VP a row, and as many columns as a vector has lanes.
/// Throws: usage_error (sizes, strides, overlap, 0 VPs); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// 2016, section 4.2: its first division, without the roots of unity.
template <detail::matrix_like In, detail::matrix_like Out>
requires detail::fourier::is_complex<detail::matrix_element<Out>> &&
    detail::matrix_of<In, detail::matrix_element<Out>>
        run_report fft2(machine& on, const In& in, const Out& out,
                        const fft2_options& options = {}) {
  using T = typename detail::matrix_element<Out>::value_type;
  return detail::fourier::transform_plane<T>(on, detail::rows_of(in), detail::rows_of(out),
                                             options);
}

/// Transforms in place.
template <detail::matrix_like M>
requires detail::fourier::is_complex<detail::matrix_element<M>> run_report
fft2(machine& on, const M& matrix, const fft2_options& options = {}) {
  return pleat::fft2(on, matrix, matrix, options);
}

/// Runs on the default machine, as does the next overload.
template <detail::matrix_like In, detail::matrix_like Out>
requires detail::fourier::is_complex<detail::matrix_element<Out>> &&
    detail::matrix_of<In, detail::matrix_element<Out>>
        run_report fft2(const In& in, const Out& out, const fft2_options& options = {}) {
  return pleat::fft2(*detail::call_machine(), in, out, options);
}
template <detail::matrix_like M>
requires detail::fourier::is_complex<detail::matrix_element<M>> run_report
fft2(const M& matrix, const fft2_options& options = {}) {
  return pleat::fft2(*detail::call_machine(), matrix, matrix, options);
}

/// Computes the two-dimensional discrete Fourier transform in place: transforms all rows, then all
/// columns. The matrix has `rows` rows, stored one after the other in the blocks of all ranks.
///
/// ```cpp
/// pleat::fft2(machine, distributed_image, rows);
/// ```
///
/// Requires: T is float or double. Collective, see distributed; all ranks pass the same arguments.
/// Guarantees: as fft.
/// Cost: that of fft of `rows` lines, of fft of one line for each column, and two more exchanges.
/// If the number of ranks divides both rows and columns, these two are the only exchanges. Memory:
/// that of one of these transforms at a time, and the size of the block once more.
/// Throws: usage_error (see distributed; `rows` does not divide the number of elements);
/// std::bad_alloc. After an exception the numbers are unchanged.
template <detail::fourier::real_number T>
void fft2(machine& on, distributed<std::complex<T>>& matrix, std::size_t rows,
          const distributed_fft2_options& options = {}) {
  using detail::fourier::rank_call;
  const bool inverse = options.direction == fft_direction::inverse;
  const rank_call what = inverse ? rank_call::inverse_fft2 : rank_call::fft2;
  auto call = matrix.collective(on, name_of(what, options.norm), 0, rows);
  detail::fourier::transform_plane_over_ranks<T>(on, call, matrix.local(), matrix.size(), rows,
                                                 options);
}

}  // namespace pleat
