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
#include <pleat/runtime/detail/crossings.hpp>
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
        forward_((options.of == triangle::lower) == (options.op == matrix_op::none)),
        n_(b.rows),
        vps_(vps) {}

  void take_memory(arena& in) {
    const std::size_t columns = b_.columns / vps_ + 1;
    work_ = in.arrays<std::byte>(matmul::block_bytes<plus_times, T>(n_, columns, block), vps_);
  }
  task<> operator()(vp& me) {
    run(&me);
    co_await me.sync(0);
  }
  /// Solves for the columns of a VP. `me`: null if it is alone.
  void run(vp* me) const {
    const interval<> columns = interval<>{0, b_.columns}.share(rank_of(me), vps_);
    if (columns.empty()) return;
    for (std::size_t done = 0; done < n_; done += block) {
      const std::size_t some = std::min(block, n_ - done);
      const interval<> k =
          forward_ ? interval<>{done, done + some} : interval<>{n_ - done - some, n_ - done};
      solve_rows(me, k, columns);
      const interval<> rest = forward_ ? interval<>{k.last, n_} : interval<>{0, k.first};
      if (!rest.empty()) subtract(me, rest, k, columns);
    }
  }

 private:
  static constexpr std::size_t block = 64;

  static std::size_t rank_of(const vp* me) noexcept { return me == nullptr ? 0 : me->rank(); }
  static bool counted(const vp* me) noexcept { return me != nullptr && counts_crossings(*me); }

  /// Counts a part of op(A) that VP `me` reads: each VP has a share of A's rows.
  void read(vp* me, const interval<>& rows, const interval<>& columns) const {
    const bool by_rows = a_.column_step == 1;
    const interval<>& of_a = by_rows ? rows : columns;
    for (std::size_t r = 0; counted(me) && r < vps_; ++r)
      count_reading(*me, r,
                    intersect(of_a, interval<>{0, n_}.share(r, vps_)).size() *
                        (by_rows ? columns : rows).size());
  }
  [[nodiscard]] T* at(std::size_t i, std::size_t j) const noexcept {
    return b_.data + i * b_.stride + j;
  }
  [[nodiscard]] matmul::factor<T> part(std::size_t i, std::size_t j) const noexcept {
    return {a_.at(i, j), a_.row_step, a_.column_step, false};
  }
  /// Rows `rows` of B, minus columns `inner` of op(A) times rows `inner` of B.
  void subtract(vp* me, const interval<>& rows, const interval<>& inner,
                const interval<>& columns) const {
    read(me, rows, inner);
    const matmul::product<T> product{rows.size(),
                                     columns.size(),
                                     inner.size(),
                                     part(rows.first, inner.first),
                                     {at(inner.first, columns.first), b_.stride, 1, false},
                                     at(rows.first, columns.first),
                                     b_.stride,
                                     T(-1),
                                     true};
    matmul::multiply_block<plus_times, T>(product, work_[rank_of(me)]);
  }
  void substitute(vp* me, const interval<>& k, const interval<>& columns) const {
    const std::size_t pivots = unit_ ? 0 : 1;
    for (std::size_t i = k.first; i < k.last; ++i)
      read(me, {i, i + 1},
           forward_ ? interval<>{k.first, i + pivots} : interval<>{i + 1 - pivots, k.last});
    substitute_rows<T>(a_, unit_, forward_, k, at(0, columns.first), b_.stride, columns.size());
  }
  void solve_rows(vp* me, const interval<>& k, const interval<>& columns) const {
    if (k.size() <= substituted) return substitute(me, k, columns);
    const std::size_t middle = middle_of(k);
    const interval<> low{k.first, middle}, high{middle, k.last};
    const auto& [before, behind] = forward_ ? std::pair(low, high) : std::pair(high, low);
    solve_rows(me, before, columns);
    subtract(me, behind, before, columns);
    solve_rows(me, behind, columns);
  }

  matmul::factor<T> a_;  ///< op(A)
  strided_view<T> b_;
  bool unit_, forward_;
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
  arena::take(on, [&program](arena& in) { program.take_memory(in); });
  return run_program(
      on, working, [&program] { program.run(nullptr); },
      [&program](vp& me) { return program(me); });
}

template run_report solve(machine&, const strided_view<const float>&, const strided_view<float>&,
                          const solve_options&);
template run_report solve(machine&, const strided_view<const double>&, const strided_view<double>&,
                          const solve_options&);

}  // namespace pleat::detail::triangular
