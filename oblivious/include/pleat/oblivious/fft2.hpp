// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/fft/plane.hpp>
#include <pleat/oblivious/detail/fft/run.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

namespace detail::fourier {

/// Throws: usage_error for matrices of different sizes, rows that run into each other, and matrices
/// that overlap without being the same.
template <class C> void check_planes(const strided_view<const C>& in, const strided_view<C>& out) {
  const auto size = [](std::size_t rows, std::size_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  };
  if (in.rows != out.rows || in.columns != out.columns)
    throw usage_error("fft2: " + size(in.rows, in.columns) + " numbers come in, " +
                      size(out.rows, out.columns) + " go out; give it matrices of the same size");
  const auto runs_together = [](const auto& m) { return m.rows > 1 && m.stride < m.columns; };
  if (runs_together(in) || runs_together(out))
    throw usage_error("fft2: the stride of a matrix is less than its rows are long");
  if (in.empty()) return;
  const auto end = [](const auto& m) { return m.data + (m.rows - 1) * m.stride + m.columns; };
  const std::less<const C*> before;
  const bool same = in.data == out.data && (in.rows == 1 || in.stride == out.stride);
  if (!same && before(in.data, end(out)) && before(out.data, end(in)))
    throw usage_error("fft2: the matrices overlap; give it the same one twice, or two");
}

}  // namespace detail::fourier

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
/// that do not overlap, not even row between row. Not for use inside a run.
/// Guarantees: relative error as fft, for as many numbers; the same result for any number of VPs.
///
/// Cost: O((n log n)/P) local work for n numbers in all, h = n/P in one superstep; no more VPs work
/// than there are rows, and columns over lanes of a vector. Memory: a row, and as many numbers of a
/// column as a vector has lanes, for each VP.
/// Throws: usage_error (sizes, strides, overlap, 0 VPs); std::bad_alloc. Thread safety: calls on
/// one machine take turns.
template <class In, class C>
requires detail::fourier::is_complex<C> && std::same_as<std::remove_const_t<In>, C> run_report
fft2(machine& on, strided_view<In> in, strided_view<C> out, const fft2_options& options = {}) {
  using T = typename C::value_type;
  const strided_view<const C> from(in);
  detail::fourier::check_planes(from, out);
  const std::size_t vps = detail::fourier::fft_vps(on, "fft2", out.size() * sizeof(C), options.vps);
  if (out.empty()) return {};
  const machine::turn mine(on, machine::use::scratch);
  detail::fourier::plane_program<T> program(
      from, out, detail::fourier::ends_of<T>(options.direction, options.norm, out.size()), vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  if (vps == 1) {
    program.transform_rows(0);
    program.transform_columns_of(0);
    return {};
  }
  return on.run(vps, [&program](vp& me) { return program(me); });
}

/// In place.
template <class C>
requires detail::fourier::is_complex<C> run_report fft2(machine& on, strided_view<C> matrix,
                                                        const fft2_options& options = {}) {
  return fft2(on, matrix, matrix, options);
}

}  // namespace pleat
