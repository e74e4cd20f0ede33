// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::transposition {

/// Transposes bytes. Requires: windows of elements of the same size. Throws: usage_error (sizes
/// that do not go together, strides, overlap, 0 VPs).
PLEAT_API run_report transpose(machine& named, const matmul::window& in, const matmul::window& out,
                               const std::optional<std::size_t>& vps);

}  // namespace pleat::detail::transposition

namespace pleat {

namespace detail {
/// Requires a matrix that transpose can write.
template <class M>
concept matrix_to_transpose = matrix_like<M> && !std::is_const_v<matrix_element<M>> &&
                              std::is_trivially_copyable_v<matrix_element<M>>;
}  // namespace detail

/// Options of transpose.
struct transpose_options {
  /// Number of virtual processors. Unset: one for each processor, fewer for small matrices.
  std::optional<std::size_t> vps = {};
};

/// Transposes a matrix: element (i, j) of `in` becomes element (j, i) of `out`.
///
/// ```cpp
/// pleat::transpose(machine, pleat::strided_view<const float>(image, rows, columns, columns),
///                  pleat::strided_view<float>(turned, columns, rows, rows));
/// pleat::transpose(machine, square);                                   // in place
/// ```
///
/// Requires: matrices of trivially copyable elements, as strided_view or std::mdspan, with adjacent
/// elements in each row; `out` has as many rows as `in` has columns, and vice versa. They do not
/// overlap, or are the same square.
/// Cost: each element is read and written once; cache lines of both matrices stay in the cache
/// while they are used, whatever its size. On p processors h = n/p for n elements, in one
/// superstep. Memory: none.
/// Throws: usage_error (sizes, strides, overlap, 0 VPs).
/// Thread safety: calls on one machine take turns.
///
/// Source: Frigo, Leiserson, Prokop, Ramachandran, Cache-Oblivious Algorithms, 1999; Chowdhury,
/// Ramachandran, Silvestri, Blakeley, Oblivious Algorithms for Multicores and Networks of
/// Processors, 2013.
template <class A, detail::matrix_to_transpose B>
requires detail::matrix_of<A, detail::matrix_element<B>> run_report
transpose(machine& on, const A& in, const B& out, const transpose_options& options = {}) {
  return detail::transposition::transpose(on, detail::rows_of(in), detail::rows_of(out),
                                          options.vps);
}

/// Transposes a square matrix in place.
template <detail::matrix_to_transpose M>
run_report transpose(machine& on, const M& square, const transpose_options& options = {}) {
  const auto rows = detail::rows_of(square);
  return detail::transposition::transpose(on, rows, rows, options.vps);
}

/// Run on the default machine.
template <class A, detail::matrix_to_transpose B>
requires detail::matrix_of<A, detail::matrix_element<B>> run_report
transpose(const A& in, const B& out, const transpose_options& options = {}) {
  return pleat::transpose(*detail::call_machine(), in, out, options);
}
template <detail::matrix_to_transpose M>
run_report transpose(const M& square, const transpose_options& options = {}) {
  return pleat::transpose(*detail::call_machine(), square, options);
}

}  // namespace pleat
