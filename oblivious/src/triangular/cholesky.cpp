// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/rectangle.hpp>
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

/// The factorisation by blocks of columns K one after the other:
///
///     diagonal    one VP factorises block K × K
///        │ a superstep
///     panel       the rows below are solved by its factor; VPs share them
///        │ a superstep
///     rest        the triangle below, minus the panel times itself transposed; VPs have bands of
///        │        rows with equal areas
///        │ a superstep
template <class T> class cholesky_program {
 public:
  cholesky_program(const strided_view<T>& a, std::size_t vps)
      : a_(a),
        n_(a.rows),
        block_(std::clamp(n_ / static_cast<std::size_t>(std::sqrt(static_cast<double>(vps))),
                          std::size_t{1}, std::size_t{n_ >= 1024 ? 128U : 64U})),
        vps_(vps) {}

  void take_memory(arena& in) {
    using matmul::block_bytes;
    columns_ = in.array<T>(block_);
    squares_ = in.arrays<T>(block_ * block_, vps_);
    work_ = in.arrays<std::byte>(block_bytes<plus_times, T>(n_, n_, block_), vps_);
  }

  task<> operator()(vp& me) {
    for (std::size_t first = 0; first < n_; first += block_) {
      const interval<> k = block_from(first);
      if (me.rank() == 0) diagonal(&me, k);
      co_await me.sync(0);
      if (failed_ || k.last == n_) co_return;
      panel(&me, k);
      co_await me.sync(0);
      rest(&me, k);
      co_await me.sync(0);
    }
  }
  void run_alone() {
    for (std::size_t first = 0; first < n_ && !failed_; first += block_) {
      const interval<> k = block_from(first);
      diagonal(nullptr, k);
      if (failed_) return;
      panel(nullptr, k);
      rest(nullptr, k);
    }
  }
  /// The row where the matrix is not positive definite.
  [[nodiscard]] const std::optional<std::size_t>& failed() const noexcept { return failed_; }

 private:
  [[nodiscard]] interval<> block_from(std::size_t first) const noexcept {
    return {first, std::min(first + block_, n_)};
  }
  [[nodiscard]] T* at(std::size_t i, std::size_t j) const noexcept {
    return a_.data + i * a_.stride + j;
  }
  /// Rows of the panel that are VP q's.
  [[nodiscard]] interval<> panel_of(std::size_t q, const interval<>& k) const noexcept {
    return interval<>{k.last, n_}.share(q, vps_);
  }
  /// Rows of the triangle below K that are VP q's: bands of equal areas.
  [[nodiscard]] interval<> band_of(std::size_t q, const interval<>& k) const noexcept {
    const auto row = [&](std::size_t i) {
      const double share = std::sqrt(static_cast<double>(i) / static_cast<double>(vps_));
      return k.last + static_cast<std::size_t>(share * static_cast<double>(n_ - k.last) + 0.5);
    };
    return {row(q), row(q + 1)};
  }

  static std::size_t rank_of(const vp* me) noexcept { return me == nullptr ? 0 : me->rank(); }
  static bool counted(const vp* me) noexcept { return me != nullptr && counts_crossings(*me); }

  /// Counts rows and columns of the triangle below the last K that VP `me` reads from those that
  /// have computed them. The first K are of the VP that reads them first.
  void read_triangle(vp* me, const interval<>& k, const interval<>& rows,
                     const interval<>& columns) const {
    if (!counted(me) || k.first == 0) return;
    const interval<> before{k.first - block_, k.first};
    for (std::size_t r = 0; r < vps_; ++r) {
      const interval<> theirs = intersect(rows, band_of(r, before));
      std::size_t elements = 0;
      for (std::size_t i = theirs.first; i < theirs.last; ++i)
        elements += intersect(columns, {0, i + 1}).size();
      count_reading(*me, r, elements);
    }
  }
  /// Counts rows of the panel that VP `me` reads from those that have solved them.
  void read_panel(vp* me, const interval<>& k, const interval<>& rows) const {
    for (std::size_t r = 0; counted(me) && r < vps_; ++r)
      count_reading(*me, r, intersect(panel_of(r, k), rows).size() * k.size());
  }

  void diagonal(vp* me, const interval<>& k) {
    read_triangle(me, k, k, k);
    if (const auto row = factorise_block(at(k.first, k.first), a_.stride, k.size(), columns_))
      failed_ = k.first + *row;
  }

  /// Multiplies rows × inner by inner × columns.
  void multiply(std::size_t q, std::size_t rows, std::size_t columns, std::size_t inner,
                const matmul::factor<T>& a, const matmul::factor<T>& b, T* c, std::size_t leading,
                T alpha, bool accumulate) const {
    if (rows == 0 || columns == 0) return;
    matmul::multiply_block<plus_times, T>(
        {rows, columns, inner, a, b, c, leading, alpha, accumulate}, work_[q]);
  }
  void panel(vp* me, const interval<>& k) const {
    const std::size_t q = rank_of(me);
    const interval<> rows = panel_of(q, k);
    if (rows.empty()) return;
    if (counted(me)) count_reading(*me, 0, k.size() * (k.size() + 1) / 2);  // the factor
    read_triangle(me, k, rows, k);
    solve_columns(q, rows, k);
  }
  void solve_columns(std::size_t q, const interval<>& rows, const interval<>& columns) const {
    if (columns.size() <= substituted)
      return substitute_columns(a_.data, columns, at(rows.first, 0), a_.stride, rows.size());
    const interval<> low{columns.first, middle_of(columns)}, high{low.last, columns.last};
    solve_columns(q, rows, low);
    multiply(q, rows.size(), high.size(), low.size(),
             {at(rows.first, low.first), a_.stride, 1, false},
             {at(high.first, low.first), 1, a_.stride, false}, at(rows.first, high.first),
             a_.stride, T(-1), true);
    solve_columns(q, rows, high);
  }
  /// Rows [i, last) of columns [j, end), minus the panel's rows times those of j … transposed.
  void subtract(std::size_t q, const interval<>& k, const interval<>& rows,
                const interval<>& columns, T* c, std::size_t leading, bool accumulate) const {
    multiply(q, rows.size(), columns.size(), k.size(),
             {at(rows.first, k.first), a_.stride, 1, false},
             {at(columns.first, k.first), 1, a_.stride, false}, c, leading, T(-1), accumulate);
  }
  void rest(vp* me, const interval<>& k) const {
    const std::size_t q = rank_of(me);
    const interval<> band = band_of(q, k);
    if (band.empty()) return;
    read_panel(me, k, {k.last, band.last});
    read_triangle(me, k, band, {k.last, band.last});
    const interval<> left{k.last, band.first};
    subtract(q, k, band, left, at(band.first, left.first), a_.stride, true);
    for (std::size_t first = band.first; first < band.last; first += block_) {
      const interval<> rows{first, std::min(first + block_, band.last)};
      const interval<> before{band.first, first};
      subtract(q, k, rows, before, at(first, before.first), a_.stride, true);
      // The upper triangle must stay: the square on the diagonal is computed apart.
      T* const square = squares_[q];
      subtract(q, k, rows, rows, square, rows.size(), false);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
          *at(first + i, first + j) += square[i * rows.size() + j];
    }
  }

  strided_view<T> a_;
  std::size_t n_;
  std::size_t block_;  ///< n/√P at most
  std::size_t vps_;
  T* columns_ = nullptr;
  vp_arrays<T> squares_;
  vp_arrays<std::byte> work_;
  std::optional<std::size_t> failed_;
};

}  // namespace

template <class T>
run_report factorise(machine& named, const strided_view<T>& a,
                     const std::optional<std::size_t>& vps) {
  const std::size_t n = a.rows;
  matmul::check_view("cholesky", "the matrix", a);
  if (n != a.columns)
    throw usage_error("cholesky: a matrix of " + matmul::sizes(n, a.columns) +
                      " elements is not square, and so not symmetric");
  const call_machine here(named);
  machine& on = *here;
  const std::size_t chosen = matmul::matmul_vps(on, "cholesky", n, n, n / 3 + 1, vps);
  const std::size_t working = vps ? chosen : std::min<std::size_t>(chosen, on.threads());
  if (n == 0) return {};
  const machine::turn mine(on, machine::use::scratch);
  cholesky_program<T> program(a, working);
  arena::take(on, [&program](arena& in) { program.take_memory(in); });
  run_report report = run_program(
      on, working, [&program] { program.run_alone(); }, [&program](vp& me) { return program(me); });
  if (program.failed())
    throw usage_error("cholesky: the matrix is not positive definite, as row " +
                      std::to_string(*program.failed()) + " shows; it has no such factor");
  return report;
}

template run_report factorise(machine&, const strided_view<float>&,
                              const std::optional<std::size_t>&);
template run_report factorise(machine&, const strided_view<double>&,
                              const std::optional<std::size_t>&);

}  // namespace pleat::detail::triangular
