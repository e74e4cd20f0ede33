// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

#include <pleat/oblivious/detail/transpose/run.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

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
/// Requires: T is trivially copyable. Views whose rows lie `stride` elements apart; `out` has as
/// many rows as `in` has columns, and the other way round. They do not overlap, or are the same
/// square.
/// Cost: each element is read and written once; lines of both matrices are in the cache while they
/// are used, whatever its size. On p processors h = n/p for n elements, in one superstep. Memory:
/// none.
/// Throws: usage_error (sizes, strides, overlap, 0 VPs).
/// Thread safety: calls on one machine take turns.
///
/// Source: Frigo, Leiserson, Prokop, Ramachandran, Cache-Oblivious Algorithms, 1999; Chowdhury,
/// Ramachandran, Silvestri, Blakeley, Oblivious Algorithms for Multicores and Networks of
/// Processors, 2013.
template <class A, class T>
requires(std::is_trivially_copyable_v<T>&& std::same_as<std::remove_const_t<A>, T>) run_report
    transpose(machine& on, strided_view<A> in, strided_view<T> out,
              const transpose_options& options = {}) {
  return detail::transposition::transpose(on, in, out, options.vps);
}

/// Transposes a square matrix in place.
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>) run_report
    transpose(machine& on, strided_view<T> square, const transpose_options& options = {}) {
  return detail::transposition::transpose(on, square, square, options.vps);
}

/// Run on the default machine.
template <class A, class T>
requires(std::is_trivially_copyable_v<T>&& std::same_as<std::remove_const_t<A>, T>) run_report
    transpose(strided_view<A> in, strided_view<T> out, const transpose_options& options = {}) {
  const detail::call_machine on;
  return pleat::transpose(*on, in, out, options);
}
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>) run_report
    transpose(strided_view<T> square, const transpose_options& options = {}) {
  const detail::call_machine on;
  return pleat::transpose(*on, square, options);
}

}  // namespace pleat
