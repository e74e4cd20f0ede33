// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <type_traits>

#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// The two-dimensional discrete Fourier transform of a matrix of complex numbers, of any size: of
/// all its rows, then of all its columns.
///
/// ```cpp
/// pleat::strided_view<std::complex<double>> image(data, rows, columns, stride);
/// pleat::fft2(machine, image, spectrum);
/// pleat::fft2(machine, spectrum, image, {.direction = pleat::fft_direction::inverse});
/// ```
///
/// Requires: two matrices of one size, of complex<float> or complex<double>; the same, or matrices
/// that do not overlap, not even row between row.
/// Guarantees: relative error as fft, for as many numbers; the same result for any number of VPs.
///
/// Cost: O((n log n)/P) local work for n numbers in all, h = n/P in one superstep; no more VPs work
/// than there are rows, and columns over lanes of a vector. Memory: a row, and as many numbers of a
/// column as a vector has lanes, for each VP.
/// Throws: usage_error (sizes, strides, overlap, 0 VPs); std::bad_alloc. Thread safety: calls on
/// one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// 2016, section 4.2, whose first division this is, without its roots of unity.
template <class In, class C>
requires detail::fourier::is_complex<C> && std::same_as<std::remove_const_t<In>, C> run_report
fft2(machine& on, strided_view<In> in, strided_view<C> out, const fft2_options& options = {}) {
  using T = typename C::value_type;
  return detail::fourier::transform_plane<T>(on, strided_view<const C>(in), out, options);
}

/// Transforms in place.
template <class C>
requires detail::fourier::is_complex<C> run_report fft2(machine& on, strided_view<C> matrix,
                                                        const fft2_options& options = {}) {
  return pleat::fft2(on, matrix, matrix, options);
}

/// Runs on the default machine; so does the next one.
template <class In, class C>
requires detail::fourier::is_complex<C> && std::same_as<std::remove_const_t<In>, C> run_report
fft2(strided_view<In> in, strided_view<C> out, const fft2_options& options = {}) {
  const detail::call_machine on;
  return pleat::fft2(*on, in, out, options);
}
template <class C>
requires detail::fourier::is_complex<C> run_report fft2(strided_view<C> matrix,
                                                        const fft2_options& options = {}) {
  const detail::call_machine on;
  return pleat::fft2(*on, matrix, matrix, options);
}

/// The two-dimensional discrete Fourier transform of a matrix of `rows` rows, one behind the other
/// in the blocks of all ranks: of all rows, then of all columns. In place.
///
/// ```cpp
/// pleat::fft2(machine, distributed_image, rows);
/// ```
///
/// Requires: T is float or double. Collective, see distributed: with the same arguments on all
/// ranks. Guarantees: as fft. Cost: that of fft of `rows` lines, of fft of as many lines as there
/// are columns, and two more exchanges: two in all, if the number of ranks divides both. Memory:
/// that of one of these at a time, and as much as the block once more. Throws: usage_error (see
/// distributed; `rows` that do not divide the numbers); std::bad_alloc. The numbers are then what
/// they were.
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
