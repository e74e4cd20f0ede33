// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/matmul_program.hpp"

// Loops over blocks on the diagonal, which compilers make vectors of.
namespace pleat::detail::triangular {

/// Factorises the lower triangle of an n × n block in place. `column` has n elements. Returns the
/// row where it is not positive definite.
template <class T>
std::optional<std::size_t> factorise_block(T* a, std::size_t leading, std::size_t n, T* column) {
  for (std::size_t k = 0; k < n; ++k) {
    const T pivot = a[k * leading + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return k;
    const T root = std::sqrt(pivot);
    a[k * leading + k] = root;
    for (std::size_t i = k + 1; i < n; ++i) column[i] = a[i * leading + k] /= root;
    for (std::size_t i = k + 1; i < n; ++i) {
      T* const row = a + i * leading;
      const T x = column[i];
      for (std::size_t j = k + 1; j <= i; ++j) row[j] -= x * column[j];
    }
  }
  return {};
}

/// Rows or columns of a triangle that are substituted one by one: larger parts are halved, and the
/// second half is updated by a product. With inverses of blocks the error would grow with the
/// condition of the block (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// section 8.1).
inline constexpr std::size_t substituted = 8;

/// Halves of an interval, the first a multiple of `substituted`.
inline std::size_t middle_of(const interval<>& all) noexcept {
  return all.first + (all.size() / 2 + substituted - 1) / substituted * substituted;
}

/// Solves op(A)·X = B in place for rows `rows` of B, of `columns` columns, from the first to the
/// last if `forward`. Element (i, j) of the triangle is triangle.element(i, j); row i of B begins
/// at b + i · leading.
template <class T>
void substitute_rows(const matmul::factor<T>& triangle, bool unit_diagonal, bool forward,
                     const interval<>& rows, T* b, std::size_t leading, std::size_t columns) {
  for (std::size_t step = 0; step < rows.size(); ++step) {
    const std::size_t i = forward ? rows.first + step : rows.last - 1 - step;
    T* const row = b + i * leading;
    const interval<> done = forward ? interval<>{rows.first, i} : interval<>{i + 1, rows.last};
    for (std::size_t k = done.first; k < done.last; ++k) {
      const T x = triangle.element(i, k);
      const T* const other = b + k * leading;
      for (std::size_t j = 0; j < columns; ++j) row[j] -= x * other[j];
    }
    if (unit_diagonal) continue;
    const T pivot = triangle.element(i, i);
    for (std::size_t j = 0; j < columns; ++j) row[j] /= pivot;
  }
}

/// Solves X·Lᵀ = B in place for columns `columns`, `substituted` at most, of `rows` rows of B, row
/// i of which begins at b + i · leading. L is lower triangular, its row i at l + i · leading too.
template <class T>
void substitute_columns(const T* l, const interval<>& columns, T* b, std::size_t leading,
                        std::size_t rows) {
  // Rows are independent: some of them at once, transposed, so that loops over them are vectors.
  constexpr std::size_t at_once = 16;
  std::array<std::array<T, at_once>, substituted> x{};
  for (std::size_t first = 0; first < rows; first += at_once) {
    T* const part = b + first * leading + columns.first;
    const std::size_t count = std::min(at_once, rows - first);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) x[j][i] = part[i * leading + j];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const T* const of = l + (columns.first + j) * leading + columns.first;
      for (std::size_t k = 0; k < j; ++k)
        for (std::size_t i = 0; i < at_once; ++i) x[j][i] -= of[k] * x[k][i];
      for (std::size_t i = 0; i < at_once; ++i) x[j][i] /= of[j];
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) part[i * leading + j] = x[j][i];
  }
}

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

  void lay_out(arena& in) {
    using matmul::block_bytes;
    columns_ = in.array<T>(block_);
    squares_ = in.arrays<T>(block_ * block_, vps_);
    work_ = in.arrays<std::byte>(block_bytes<plus_times, T>(n_, n_, block_), vps_);
  }

  [[nodiscard]] bool has_phase(std::size_t i) const noexcept {
    const std::size_t first = i / 3 * block_;
    return i % 3 == 0 ? first < n_ : first + block_ < n_ && (i % 3 == 2 || !failed_);
  }
  void phase(std::size_t i, vp* me) {
    const interval<> k = block_from(i / 3 * block_);
    if (i % 3 == 1) return panel(me, k);
    if (i % 3 == 2) return rest(me, k);
    if (rank_of(me) == 0) diagonal(me, k);
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
  cholesky_program<T> program(a, working);
  run_report report = run_phases(on, working, program);
  if (program.failed())
    throw usage_error("cholesky: the matrix is not positive definite, as row " +
                      std::to_string(*program.failed()) + " shows; it has no such factor");
  return report;
}

template decltype(factorise<float>) factorise<float>;
template decltype(factorise<double>) factorise<double>;

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

  void lay_out(arena& in) {
    const std::size_t columns = b_.columns / vps_ + 1;
    work_ = in.arrays<std::byte>(matmul::block_bytes<plus_times, T>(n_, columns, block), vps_);
  }
  static bool has_phase(std::size_t i) noexcept { return i == 0; }
  /// Solves for the columns of a VP.
  void phase(std::size_t /*i*/, vp* me) const {
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
  solve_program<T> program(a, b, options, working);
  return run_phases(on, working, program);
}

template decltype(solve<float>) solve<float>;
template decltype(solve<double>) solve<double>;

}  // namespace pleat::detail::triangular
