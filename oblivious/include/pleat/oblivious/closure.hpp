// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/value_product.hpp>
#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::closures {

/// Closes a block on the diagonal, in place: the loops of Warshall's algorithm, on one VP.
using close_block = void (*)(std::byte* first, std::size_t leading, std::size_t n);

/// Closes a matrix, by products of its blocks. Throws: usage_error for a matrix that is not square,
/// rows that overlap, and 0 VPs; std::bad_alloc.
PLEAT_API run_report close_matrix(machine& named, const matmul::any_product& kernel,
                                  const matmul::window& matrix, close_block close,
                                  const std::optional<std::size_t>& vps);

template <class S, class T> void close(std::byte* first, std::size_t leading, std::size_t n) {
  T* const d = reinterpret_cast<T*>(first);
  for (std::size_t k = 0; k < n; ++k) {
    const T* const through = d + k * leading;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;  // Row k is read meanwhile; it would not change: see `idempotent`.
      T* const row = d + i * leading;
      const T to = row[k];
      for (std::size_t j = 0; j < n; ++j)
        row[j] = S::plus(row[j], static_cast<T>(S::times(to, through[j])));
    }
  }
}

}  // namespace pleat::detail::closures

namespace pleat {

/// Options of closure.
struct closure_options {
  /// Number of virtual processors. Unset: one for each processor, fewer for small matrices.
  std::optional<std::size_t> vps = {};
};

/// Tells whether plus(a, a) = a in a semiring, and going round a cycle never makes a path better:
/// true for shortest (min_plus), widest (max_min) and longest paths (max_plus, without cycles of
/// positive length), for reachability (or_and), and for semirings of your own that declare `static
/// constexpr bool idempotent = true`.
template <class S>
inline constexpr bool idempotent = std::same_as<S, min_plus> || std::same_as<S, max_plus> ||
                                   std::same_as<S, max_min> || std::same_as<S, or_and>;
template <class S>
requires requires { S::idempotent; }
inline constexpr bool idempotent<S> = S::idempotent;

namespace detail {
/// Requires a matrix that closure can write.
template <class Semiring, class M>
concept matrix_to_close = matrix_like<M> && !std::is_const_v<matrix_element<M>> &&
                          std::is_trivially_copyable_v<matrix_element<M>> &&
                          semiring<Semiring, matrix_element<M>> && idempotent<Semiring>;
}  // namespace detail

/// Computes the closure of a square matrix over a semiring, in place: element (i, j) becomes the
/// sum over all paths from i to j, of one edge or more, of the products of their edges. Over
/// min_plus these are the lengths of all shortest paths (Floyd's algorithm); over or_and they tell
/// whether j can be reached from i (Warshall's).
///
/// ```cpp
/// pleat::strided_view<float> streets(data, n, n, n);     // from i to j; infinity: there is none
/// pleat::closure<pleat::min_plus>(machine, streets);     // now the lengths of shortest paths
/// ```
///
/// Requires: a matrix of n rows and columns of trivially copyable elements, as strided_view or
/// std::mdspan, with adjacent elements in each row. Over min_plus no cycle has negative length.
/// Guarantees: the same as the three nested loops; the rounding of floating-point results may
/// differ, and may depend on the number of VPs.
/// Cost: n³/P multiplications, by the kernels of matmul; n/b steps of three supersteps for blocks
/// of b rows: 64 to 256, but n/√P at most. On p processors H = O(n²/√p + p·n·b + σ·n/b): each
/// processor needs n/√p rows and columns of a panel, and one sends the block on the diagonal to
/// all; the bound of programs that keep no copies is Ω(n²/√p). The counts assume that the matrix
/// lies in rectangles of n²/P elements, one for each VP, before and after. Memory: for each VP
/// packed blocks, some 7 MiB, and 2·b·n/P elements.
/// Throws: usage_error (not square, stride, 0 VPs); std::bad_alloc; what the semiring throws (the
/// elements are then unspecified).
/// Thread safety: calls on one machine take turns.
///
/// Source: Venkataraman, Sahni, Mukhopadhyaya, A Blocked All-Pairs Shortest-Paths Algorithm, 2003.
/// All supersteps join the whole machine: it is not the recursion of Chowdhury, Ramachandran,
/// Silvestri, Blakeley, Oblivious Algorithms for Multicores and Networks of Processors, 2013, which
/// is optimal for every p.
template <class Semiring, class M>
requires detail::matrix_to_close<Semiring, M> run_report
closure(machine& on, const M& of, const closure_options& options = {}) {
  using T = detail::matrix_element<M>;
  const strided_view<T> matrix = detail::rows_of(of);
  const detail::matmul::value_product<Semiring, T> kernel(matrix, detail::matmul::scalar<T>(1),
                                                          detail::matmul::scalar<T>(0));
  return detail::closures::close_matrix(on, kernel, matrix, detail::closures::close<Semiring, T>,
                                        options.vps);
}

/// Runs on the default machine.
template <class Semiring, class M>
requires detail::matrix_to_close<Semiring, M> run_report
closure(const M& matrix, const closure_options& options = {}) {
  return pleat::closure<Semiring>(*detail::call_machine(), matrix, options);
}

}  // namespace pleat
