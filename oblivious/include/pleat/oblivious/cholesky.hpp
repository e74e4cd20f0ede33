// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Triangle of a matrix that is read; the other one is not.
enum class triangle { lower, upper };

/// Options of solve_triangular.
struct solve_options {
  triangle of = triangle::lower;
  matrix_op op = matrix_op::none;  ///< none or transpose
  bool unit_diagonal = false;      ///< the diagonal is not read: it is 1
  /// Number of virtual processors. Unset: one for each processor, fewer for little work.
  std::optional<std::size_t> vps = {};
};

// The bodies of cholesky and solve_triangular, for float and double.
namespace detail::triangular {

template <class T>
PLEAT_API run_report factorise(machine& named, const strided_view<T>& a,
                               const std::optional<std::size_t>& vps);
template <class T>
PLEAT_API run_report solve(machine& named, const strided_view<const T>& a, const strided_view<T>& b,
                           const solve_options& options);

}  // namespace detail::triangular

/// Options of cholesky.
struct cholesky_options {
  /// Number of virtual processors. Unset: one for each processor, fewer for small matrices.
  std::optional<std::size_t> vps = {};
};

/// Computes the Cholesky factorisation A = L·Lᵀ of a symmetric positive definite matrix: the lower
/// triangle of A becomes L. The upper triangle is neither read nor written.
///
/// ```cpp
/// pleat::strided_view<double> a(data, n, n, n);
/// pleat::cholesky(machine, a);                               // now L
/// pleat::solve_triangular(machine, a, b);                    // L·Y = B
/// pleat::solve_triangular(machine, a, b, {.op = pleat::matrix_op::transpose});   // Lᵀ·X = Y
/// ```
///
/// Requires: a square matrix of float or double, as strided_view or std::mdspan, with adjacent
/// elements in each row.
/// Guarantees: L·Lᵀ differs from A by some n·ε times the norm of A, as with LAPACK's potrf.
/// Cost: n³/6P multiply-adds by the kernels of matmul; n/b steps of three supersteps for blocks of
/// b rows: 64 or 128, but n/√P at most. On p processors H = O(n² + p·n·b + σ·n/b): each VP has a
/// band of rows, for which it needs all rows of the panel above, and some rows change their VP with
/// each block; the bound of programs that keep no copies is Ω(n²/√p). Memory: for each VP packed
/// blocks, some 7 MiB, and n·b/P elements. Throws: usage_error (not square, stride, 0 VPs; not
/// positive definite: the error names the row, and the triangle is partly transformed);
/// std::bad_alloc. Thread safety: calls on one machine take turns.
///
/// Source: Anderson and others, LAPACK Users' Guide, third edition, 1999, section 3 (blocked
/// factorisation). All supersteps join the whole machine: it is not the recursion of Chowdhury,
/// Ramachandran, Silvestri, Blakeley, Oblivious Algorithms for Multicores and Networks of
/// Processors, 2013, which is optimal for every p.
template <class M>
requires(detail::matrix_of<M, float> || detail::matrix_of<M, double>) run_report
    cholesky(machine& on, const M& a, const cholesky_options& options = {}) {
  return detail::triangular::factorise<detail::matrix_element<M>>(on, detail::rows_of(a),
                                                                  options.vps);
}

/// Solves op(A)·X = B for a triangular matrix A: B becomes X.
///
/// Requires: A is n × n, B is n × m, of float or double, without common memory; no 0 on the
/// diagonal (with one, results are infinite or NaN).
/// Guarantees: B − op(A)·X is at most some n·ε·|op(A)|·|X|, row by row, as with LAPACK's trtrs. A
/// NaN or an infinity reaches only the elements that depend on it. Source: Higham, Accuracy and
/// Stability of Numerical Algorithms, 2002, section 8.1. Cost: n²·m/2P multiply-adds, in one
/// superstep of h ≤ n². VPs share the columns of B, so at most m of them work, and each reads all
/// of A. Memory, errors and thread safety: as cholesky.
template <class A, class T>
requires(std::same_as<T, float> || std::same_as<T, double>) &&
    std::same_as<std::remove_const_t<A>, T> run_report
    solve_triangular(machine& on, strided_view<A> a, strided_view<T> b,
                     const solve_options& options = {}) {
  return detail::triangular::solve<T>(on, strided_view<const T>(a), b, options);
}

/// Run on the default machine.
template <class M>
requires(detail::matrix_of<M, float> || detail::matrix_of<M, double>) run_report
    cholesky(const M& a, const cholesky_options& options = {}) {
  return pleat::cholesky(*detail::call_machine(), a, options);
}
template <class A, class T>
requires(std::same_as<T, float> || std::same_as<T, double>) &&
    std::same_as<std::remove_const_t<A>, T> run_report
    solve_triangular(strided_view<A> a, strided_view<T> b, const solve_options& options = {}) {
  return pleat::solve_triangular(*detail::call_machine(), a, b, options);
}

}  // namespace pleat
