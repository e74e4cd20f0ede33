// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/triangular/run.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/matmul_program.hpp"
#include "triangular/diagonal_block.hpp"

namespace pleat::detail::triangular {
namespace {

/// The solution, by blocks of rows K one after the other: rows K of B are solved by block K × K,
/// and their product is subtracted from the other rows. Each VP has columns of B, and reads all of
/// the triangle.
template <class T> class solve_program {
 public:
  solve_program(const strided_view<const T>& a, const strided_view<T>& b,
                const solve_options& options, std::size_t vps)
      : a_(options.op == matrix_op::none ? matmul::factor<T>{a.data, a.stride, 1, false}
                                         : matmul::factor<T>{a.data, 1, a.stride, false}),
        b_(b),
        unit_(options.unit_diagonal),
        lower_(options.of == triangle::lower),
        forward_((options.of == triangle::lower) == (options.op == matrix_op::none)),
        n_(b.rows),
        vps_(vps) {}

  void lie_in(arena& in) {
    const std::size_t columns = b_.columns / vps_ + 1;
    work_ = in.arrays<std::byte>(matmul::block_bytes<plus_times, T>(n_, columns, block), vps_);
  }
  task<> operator()(vp& me) {
    count_triangle(me);
    co_await me.sync(0);
    run(me.rank());
  }
  void run(std::size_t q) const {
    const interval<> columns = interval<>{0, b_.columns}.share(q, vps_);
    if (columns.empty()) return;
    for (std::size_t done = 0; done < n_; done += block) {
      const std::size_t some = std::min(block, n_ - done);
      const interval<> k =
          forward_ ? interval<>{done, done + some} : interval<>{n_ - done - some, n_ - done};
      solve_rows(q, k, columns);
      const interval<> rest = forward_ ? interval<>{k.last, n_} : interval<>{0, k.first};
      if (!rest.empty()) subtract(q, rest, k, columns);
    }
  }

 private:
  static constexpr std::size_t block = 64;

  /// Counts the triangle's elements that other VPs read, as if each had a share of A's rows.
  void count_triangle(vp& me) const {
    const interval<> rows = interval<>{0, n_}.share(me.rank(), vps_);
    const std::size_t before = lower_ ? rows.first + 1 : n_ - rows.last + 1;  // its shortest row
    const std::size_t elements = rows.size() * (2 * before + rows.size() - 1) / 2;
    for (std::size_t r = 0; r < std::min(vps_, b_.columns); ++r)
      if (!rows.empty()) me.count_crossing(r, elements);
  }
  [[nodiscard]] T* at(std::size_t i, std::size_t j) const noexcept {
    return b_.data + i * b_.stride + j;
  }
  [[nodiscard]] matmul::factor<T> part(std::size_t i, std::size_t j) const noexcept {
    return {a_.at(i, j), a_.row_step, a_.column_step, false};
  }
  /// Rows `rows` of B, minus columns `inner` of op(A) times rows `inner` of B.
  void subtract(std::size_t q, const interval<>& rows, const interval<>& inner,
                const interval<>& columns) const {
    const matmul::product<T> product{rows.size(),
                                     columns.size(),
                                     inner.size(),
                                     part(rows.first, inner.first),
                                     {at(inner.first, columns.first), b_.stride, 1, false},
                                     at(rows.first, columns.first),
                                     b_.stride,
                                     T(-1),
                                     true};
    matmul::multiply_block<plus_times, T>(product, work_[q]);
  }
  void solve_rows(std::size_t q, const interval<>& k, const interval<>& columns) const {
    if (k.size() <= substituted)
      return substitute_rows<T>(a_, unit_, forward_, k, at(0, columns.first), b_.stride,
                                columns.size());
    const std::size_t middle = middle_of(k);
    const interval<> low{k.first, middle}, high{middle, k.last};
    const auto& [before, behind] = forward_ ? std::pair(low, high) : std::pair(high, low);
    solve_rows(q, before, columns);
    subtract(q, behind, before, columns);
    solve_rows(q, behind, columns);
  }

  matmul::factor<T> a_;  ///< op(A)
  strided_view<T> b_;
  bool unit_, lower_, forward_;
  std::size_t n_, vps_;
  vp_arrays<std::byte> work_;
};

}  // namespace

template <class T>
run_report solve(machine& named, const strided_view<const T>& a, const strided_view<T>& b,
                 const solve_options& options) {
  const std::size_t n = a.rows, m = b.columns;
  matmul::check_view("solve_triangular", "the triangular matrix", a);
  matmul::check_view("solve_triangular", "the right-hand sides", b);
  if (n != a.columns || n != b.rows)
    throw usage_error("solve_triangular: a matrix of " + matmul::sizes(n, a.columns) +
                      " and right-hand sides of " + matmul::sizes(b.rows, m) +
                      " do not go together; give it n x n and n x m");
  if (options.op != matrix_op::none && options.op != matrix_op::transpose)
    throw usage_error("solve_triangular: op is none or transpose, of real numbers");
  if (overlap(matmul::window(a), matmul::window(b)))
    throw usage_error("solve_triangular: the right-hand sides overlap the matrix; give it others");
  const call_machine here(named);
  machine& on = *here;
  const std::size_t chosen =
      matmul::matmul_vps(on, "solve_triangular", n, m, n / 2 + 1, options.vps);
  const std::size_t working = options.vps ? chosen : std::min<std::size_t>(chosen, on.threads());
  if (b.empty()) return {};
  const machine::turn mine(on, machine::use::scratch);
  solve_program<T> program(a, b, options, working);
  arena::take(on, [&program](arena& in) { program.lie_in(in); });
  return run_program(
      on, working, [&program] { program.run(0); }, [&program](vp& me) { return program(me); });
}

template run_report solve(machine&, const strided_view<const float>&, const strided_view<float>&,
                          const solve_options&);
template run_report solve(machine&, const strided_view<const double>&, const strided_view<double>&,
                          const solve_options&);

}  // namespace pleat::detail::triangular
