// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/value_product.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
         std::default_initializable<T>) class distributed_matrix;

/// Recursion of the paper that matmul follows.
enum class matmul_recursion {
  eight_way,  ///< all eight sub-products at once: least communication, memory for partial sums
  four_way    ///< the eight in two rounds: no memory besides the matrices
};

template <class T> struct matmul_options {
  matrix_op op_a = matrix_op::none;
  matrix_op op_b = matrix_op::none;
  /// Factors alpha and beta, for plus_times over arithmetic and complex numbers; other semirings
  /// have `accumulate`. With beta = 0, C is not read.
  detail::matmul::scalar<T> alpha = static_cast<detail::matmul::scalar<T>>(1);
  detail::matmul::scalar<T> beta = static_cast<detail::matmul::scalar<T>>(0);
  bool accumulate = false;  ///< C ← op(A)·op(B) + C, in the sense of the semiring
  matmul_recursion recursion = matmul_recursion::eight_way;
  /// Number of virtual processors that multiply. Unset: one for each processor (at least eight for
  /// each, if the number of processors is no power of two), fewer for small matrices. With square
  /// matrices and one VP for each element of C, the program of the model runs. If the number is no
  /// power of two, the run has, reports and counts the greatest power of two below it.
  std::optional<std::size_t> vps = std::nullopt;
};

namespace detail::matmul {

template <class S, class T> request request_of(const matmul_options<T>& options) {
  const scalar<T> zero(0), one(1);
  request asked{.op_a = options.op_a,
                .op_b = options.op_b,
                .kind = options.accumulate ? onto::sum : onto::nothing,
                .in_rounds = options.recursion == matmul_recursion::four_way,
                .vps = options.vps};
  if constexpr (std::same_as<S, plus_times>) {
    if (options.accumulate && options.beta != zero && options.beta != one)
      asked.wrong = "matmul: accumulate means beta = 1, and beta is another: set one of them";
    if (!options.accumulate && options.beta != zero) asked.kind = onto::scaled;
    if constexpr (number<T>) asked.reads_factors = options.alpha != zero;
  } else if (options.alpha != one || options.beta != zero) {
    asked.wrong =
        "matmul: alpha and beta scale products over plus_times only; set accumulate to add to c";
  }
  // Excludes long double, which has padding bytes.
  if constexpr (number<T> && sizeof(T) <= 16 && !std::same_as<T, long double>) {
    std::memcpy(&asked.scales[0], &options.alpha, sizeof(T));
    std::memcpy(&asked.scales[2], &options.beta, sizeof(T));
  }
  return asked;
}

template <class T> rank_matrix seen_by_rank(const distributed_matrix<T>& matrix) {
  return {&matrix, matrix.rectangles(), matrix.rank(), matrix.local()};
}

template <class A, class T>
concept same_element = std::same_as<std::remove_const_t<A>, T>;

/// Returns a factor as rows. For a std::mdspan stored by columns it returns the transpose, and
/// changes `op` accordingly.
template <matrix_like A> auto factor_by_rows(const A& a, matrix_op& op) {
  if constexpr (multidimensional_span<A>) {
    const auto step = [&a](std::size_t i) { return static_cast<std::ptrdiff_t>(a.stride(i)); };
    if (step(1) != 1 && step(0) == 1) {
      if (op == matrix_op::adjoint)
        throw usage_error("matmul: a matrix stored by columns has no adjoint: store it by rows");
      op = op == matrix_op::none ? matrix_op::transpose : matrix_op::none;
      using T = span_element<A>;
      return strided_view<T>(a.data_handle(), static_cast<std::size_t>(a.extent(1)),
                             static_cast<std::size_t>(a.extent(0)),
                             detail::step_in_rows(a, 1, false));
    }
  }
  return detail::rows_of(a);
}

}  // namespace detail::matmul

/// Computes C ← alpha·op(A)·op(B) + beta·C over a semiring, on the virtual processors of a machine.
///
/// ```cpp
/// matmul(on, a, b, c);                                              // strided_views
/// matmul(on, a, b, c, {.op_a = matrix_op::transpose, .beta = 1.0});
/// matmul<min_plus>(on, d, d, d2);                                   // paths of two hops
/// ```
///
/// Requires: views of any size, 0 included, whose rows lie `stride` elements apart (the leading
/// dimension), or std::mdspan: A and B stored by rows or by columns, C by rows. C shares no element
/// with A or B; A and B may be the same. `Semiring` is a semiring of T (see the concept).
///
/// Guarantees: every element of C is the sum of the products of a row and a column. The order of
/// the sum depends on the sizes, the number of VPs and, for types with vector kernels (float,
/// double, 32 and 64-bit integers), the instruction set. So the rounding of floating-point results
/// may depend on the number of VPs. Returns the report of the run; it is empty if one VP multiplies
/// alone, without a run.
///
/// Cost: m·n·k/P multiplications; with P = n VPs and √n × √n matrices, H = O(n/p^(2/3) + σ log p)
/// on p processors; with four-way recursion H = O(n/√p + σ√p). Memory, which the machine keeps for
/// the next call: packed blocks, at most some 7 MiB a VP, and for eight-way recursion partial sums:
/// as many elements as C on 8 to 32 VPs, 2^i − 1 times as many on 64 and more (8^i); none on 2 or 4
/// VPs, if k is not the longest dimension.
///
/// Throws: usage_error for sizes that do not fit, leading dimensions less than the length of the
/// rows, a C that overlaps A or B, 0 VPs, alpha or beta with another semiring than plus_times;
/// std::bad_alloc; what the semiring throws (the values of C are then unspecified). Thread safety:
/// calls on one machine take turns.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.1.
template <class Semiring = plus_times, detail::matrix_like A, detail::matrix_like B,
          detail::matrix_like C, class T = detail::matrix_element<C>>
requires detail::matrix_of<A, T> && detail::matrix_of<B, T> && semiring<Semiring, T> run_report
matmul(machine& named, const A& a, const B& b, const C& c,
       matmul_options<std::type_identity_t<T>> options = {}) {
  using namespace detail::matmul;
  const auto left = detail::matmul::factor_by_rows(a, options.op_a);
  const auto right = detail::matmul::factor_by_rows(b, options.op_b);
  const strided_view<T> results = detail::rows_of(c);
  value_product<Semiring, T> product(results, options.alpha, options.beta);
  return detail::matmul::multiply(named, "matmul", product, left, right, results,
                                  detail::matmul::request_of<Semiring>(options));
}

/// Runs on the default machine.
template <class Semiring = plus_times, detail::matrix_like A, detail::matrix_like B,
          detail::matrix_like C, class T = detail::matrix_element<C>>
requires detail::matrix_of<A, T> && detail::matrix_of<B, T> && semiring<Semiring, T> run_report
matmul(const A& a, const B& b, const C& c,
       const matmul_options<std::type_identity_t<T>>& options = {}) {
  return pleat::matmul<Semiring>(*detail::call_machine(), a, b, c, options);
}

/// Multiplies distributed matrices, with the options and the result of matmul of views.
///
/// ```cpp
/// pleat::distributed_matrix<double> da(machine, 300, 100), db(machine, 100, 200);
/// pleat::distributed_matrix<double> dc(machine, 300, 200);                   // zeros
/// pleat::matmul(machine, da, db, dc);                                        // on all ranks
/// pleat::matmul(machine, da, db, dc, {.alpha = 2.0, .accumulate = true});
/// pleat::matmul<pleat::min_plus>(machine, da, db, dc);
/// ```
///
/// Each rank computes its rectangle of C by the recursion above, on its own workers. The ranks that
/// hold the panels of A and B send them; a panel that the rank holds entirely is used in place.
/// `options.vps` is the number of VPs of each rank. If ranks have unequal numbers of workers, each
/// worker is one VP, and receives its own panels for a part of the rectangle.
///
/// Requires: A and B may be the same matrix, C is a different one; all ranks pass the same sizes
/// and options. Collective, see distributed.
///
/// Guarantees: those of matmul of views, for the same ranks. Integers, and semirings whose plus
/// does not round, give the same result on any number of ranks. On several ranks C is unchanged
/// after an exception. Returns the report of the run that multiplied.
///
/// Cost, of each of R ranks that form a grid of P × Q: m·n·k/R multiplications. If the matrices
/// have the same grid, the rank receives (1 − 1/Q)·m·k/P elements of A and (1 − 1/P)·k·n/Q of B:
/// n²/2 for square matrices on two ranks. Supersteps of all ranks: three, and one for each 1024
/// indices of the longest part of k that lies together on one rank. Memory of each rank, which the
/// machine keeps: a rectangle of C, the panels of one step that the rank does not hold entirely,
/// and the memory of matmul of views for panels; and twice the panels while they travel.
///
/// Throws: as matmul of views; usage_error also if the ranks pass different sizes or options.
/// Thread safety: calls on one machine take turns.
///
/// Source: as for matmul of views; van de Geijn, Watts, SUMMA: Scalable Universal Matrix
/// Multiplication Algorithm, 1997.
template <class Semiring = plus_times, class T>
requires semiring<Semiring, T> run_report matmul(machine& on, const distributed_matrix<T>& a,
                                                 const distributed_matrix<T>& b,
                                                 distributed_matrix<T>& c,
                                                 const matmul_options<T>& options = {}) {
  using namespace detail::matmul;
  value_product<Semiring, T> product(c.local(), options.alpha, options.beta);
  return detail::matmul::multiply_over_ranks(
      on, product, detail::matmul::seen_by_rank(a), detail::matmul::seen_by_rank(b),
      detail::matmul::seen_by_rank(c), detail::matmul::request_of<Semiring>(options));
}

struct matmul_argmin_options {
  matrix_op op_a = matrix_op::none;
  matrix_op op_b = matrix_op::none;
  /// Changes c(i, j) and index(i, j) only where a sum is less than c(i, j).
  bool accumulate = false;
  std::optional<std::size_t> vps = std::nullopt;  ///< as in matmul_options
};

/// Computes C ← op(A)·op(B) over min_plus, and the places of the minima: index(i, j) is the least k
/// with a(i, k) + b(k, j) = c(i, j), or −1 if c(i, j) is min_plus::zero, that is, if there is no
/// path. If A has the lengths of paths and B those of edges, index(i, j) is the last vertex but one
/// of a shortest path.
///
/// Requires, guarantees, throws and costs as matmul<min_plus>; T is a number of 4 or 8 bytes, Index
/// a signed integer as wide. `index` has the size of `c`, and overlaps none of the matrices.
template <class A, class B, class T, class Index>
requires detail::matmul::same_element<A, T> && detail::matmul::same_element<B, T> &&
    std::is_arithmetic_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8) &&
    std::signed_integral<Index> &&
    (sizeof(Index) == sizeof(T)) run_report
    matmul_argmin(machine& named, strided_view<A> a, strided_view<B> b, strided_view<T> c,
                  strided_view<Index> index, const matmul_argmin_options& options = {}) {
  using namespace detail::matmul;
  const strided_view<const T> left(a), right(b);
  constexpr const char* who = "matmul_argmin";
  detail::matmul::check_product(who, left, options.op_a, right, options.op_b, c);
  detail::matmul::check_view(who, "index", index);
  if (index.rows != c.rows || index.columns != c.columns)
    throw usage_error(std::string(who) + ": index must be " +
                      detail::matmul::sizes(c.rows, c.columns) + " as c is, and is " +
                      detail::matmul::sizes(index.rows, index.columns));
  const auto overlaps_index = [&](const window& other) {
    return detail::overlap(window(index), other);
  };
  if (overlaps_index(c) || overlaps_index(left) || overlaps_index(right))
    throw usage_error(std::string(who) + ": index overlaps " +
                      (overlaps_index(c)      ? "c"
                       : overlaps_index(left) ? "a"
                                              : "b") +
                      ": give it memory of its own");
  argmin_product<T, Index> product(c, index);
  // Eight-way: two rounds would take some later summands first, and choose the later of equal ones.
  return detail::matmul::multiply(named, who, product, left, right, c,
                                  {.op_a = options.op_a,
                                   .op_b = options.op_b,
                                   .kind = options.accumulate ? onto::sum : onto::nothing,
                                   .vps = options.vps});
}

/// Runs on the default machine.
template <class A, class B, class T, class Index>
run_report matmul_argmin(strided_view<A> a, strided_view<B> b, strided_view<T> c,
                         strided_view<Index> index, const matmul_argmin_options& options = {}) {
  return pleat::matmul_argmin(*detail::call_machine(), a, b, c, index, options);
}

/// Rejects all other calls, and says why.
template <class Semiring = plus_times, class... A>
requires(!requires(A && ... a) {
  pleat::matmul<Semiring>(std::forward<A>(a)...);
}) detail::no_result matmul(A&&...) {
  static_assert(!detail::wrong_call<A...>::machine_is_late,
                "pleat::matmul: the machine comes first");
  static_assert(detail::wrong_call<A...>::machine_is_late || detail::never<A...>,
                "pleat::matmul: give strided_views or mdspans a, b and c of one type of elements, "
                "which is not "
                "const in c and of which Semiring is a semiring, then matmul_options of that type");
  return {};
}

}  // namespace pleat
