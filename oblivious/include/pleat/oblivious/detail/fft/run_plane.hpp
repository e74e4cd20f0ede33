// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <string>

#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/plane.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// The body of fft2: what it checks, and how it is run.
namespace pleat::detail::fourier {

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
  const bool same = in.data == out.data && (in.rows == 1 || in.stride == out.stride);
  if (!same && arrays_overlap(in.data, end(in), out.data, end(out)))
    throw usage_error("fft2: the matrices overlap; give it the same one twice, or two");
}

template <class T>
run_report transform_plane(machine& named, const strided_view<const std::complex<T>>& in,
                           const strided_view<std::complex<T>>& out, const fft2_options& options) {
  check_planes(in, out);
  const call_machine here(named);
  machine& on = *here;
  const std::size_t vps = fft_vps(on, "fft2", out.size() * sizeof(std::complex<T>), options.vps);
  if (out.empty()) return {};
  const machine::turn mine(on, machine::use::scratch);
  plane_program<T> program(in, out, ends_of<T>(options.direction, options.norm, out.size()), vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  const auto alone = [&program] {
    program.transform_rows(0);
    program.transform_columns_of(0);
  };
  return run_program(on, vps, alone, [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::fourier
