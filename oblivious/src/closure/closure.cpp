// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/matmul_program.hpp"

namespace pleat::detail::closures {

/// The closure of a matrix, by blocks of rows and columns K one after the other:
///
///     diagonal    one VP closes block K × K
///        │ a superstep
///     panels      rows K are multiplied by it from the left, columns K from the right; VPs share
///                 them
///        │ a superstep
///     rest        each VP adds to its rectangle the product of columns K and rows K
///        │ a superstep
///
/// The matrix lies in rectangles, one of each VP (share_of), so that a VP needs n/√P rows and
/// columns of the panels. What a VP reads from others it reads from there, but the closed block
/// from the VP that has closed it, and columns and rows K from those that have multiplied them;
/// what it writes goes there.
class closure_program {
 public:
  closure_program(const matmul::any_product& kernel, const matmul::window& matrix,
                  close_block close, std::size_t vps)
      : kernel_(kernel),
        of_{matmul::operand(matrix, matrix_op::none), matmul::operand(matrix, matrix_op::none)},
        n_(matrix.rows),
        close_(close),
        vps_(vps),
        block_(std::clamp<std::size_t>(matmul::share_of(whole(), vps_, 0).columns.size(), 1,
                                       n_ >= 2048  ? 256
                                       : n_ >= 512 ? 128
                                                   : 64)) {}

  /// Allocates its memory.
  void lay_out(arena& in) {
    const matmul::sides most = matmul::most_of_shares(whole(), vps_);
    const std::size_t panel = (n_ + vps_ - 1) / vps_;
    const std::size_t work = std::max({kernel_.work_bytes(most.rows, most.columns, block_),
                                       kernel_.work_bytes(block_, panel, block_),
                                       kernel_.work_bytes(panel, block_, block_)});
    copies_ = in.arrays<std::byte>(panel * block_ * kernel_.element_bytes, vps_);
    work_ = in.arrays<std::byte>(work, vps_);
  }

  [[nodiscard]] bool has_phase(std::size_t i) const noexcept { return i / 3 * block_ < n_; }
  void phase(std::size_t i, vp* me) const {
    const interval<> k = block_from(i / 3 * block_);
    if (i % 3 == 1) return panels(me, k);
    if (i % 3 == 2) return rest(me, k);
    if (rank_of(me) == 0) diagonal(me, k);
  }

 private:
  [[nodiscard]] rectangle whole() const noexcept { return {{0, n_}, {0, n_}}; }
  [[nodiscard]] interval<> block_from(std::size_t first) const noexcept {
    return {first, std::min(first + block_, n_)};
  }
  /// Rows or columns of the panels that are VP q's.
  [[nodiscard]] interval<> panel_of(std::size_t q) const noexcept {
    return interval<>{0, n_}.share(q, vps_);
  }
  /// Parts before K and behind it.
  static std::array<interval<>, 2> without(const interval<>& all, const interval<>& k) noexcept {
    return {intersect(all, {0, k.first}), intersect(all, {k.last, all.last})};
  }
  [[nodiscard]] const std::byte* element(std::size_t i, std::size_t j) const noexcept {
    return of_.a.at(of_.a.data, i, j);
  }

  /// Counts a piece that VP `me` reads from where it lies.
  void read(vp* me, const rectangle& piece) const {
    if (!counted(me)) return;
    matmul::for_each_share(whole(), vps_, piece, [me](std::size_t r, const rectangle& part) {
      count_reading(*me, r, part.size());
    });
  }
  /// Counts a piece that VP `me` writes to where it lies.
  void write(vp* me, const rectangle& piece) const {
    if (!counted(me)) return;
    matmul::for_each_share(whole(), vps_, piece, [me](std::size_t r, const rectangle& part) {
      me->count_crossing(r, part.size());
    });
  }
  /// Counts a piece that VP `me` reads from the one that has just computed it; but not what lies
  /// with `me`.
  void read_new(vp* me, std::size_t maker, const rectangle& piece) const {
    if (!counted(me)) return;
    const rectangle mine = matmul::share_of(whole(), vps_, me->rank());
    count_reading(*me, maker, piece.size() - intersect(piece, mine).size());
  }
  /// Counts `rows` of columns K and `columns` of rows K that VP `me` reads from the panels.
  void read_panels(vp* me, const interval<>& k, const interval<>& rows,
                   const interval<>& columns) const {
    for (std::size_t r = 0; counted(me) && r < vps_; ++r) {
      read_new(me, r, {intersect(rows, panel_of(r)), k});
      read_new(me, r, {k, intersect(columns, panel_of(r))});
    }
  }

  /// to ← to + a·b, which begin there; these do not overlap.
  void add(vp* me, const rectangle& to, std::size_t inner, const matmul::operand& a,
           const std::byte* a_corner, const matmul::operand& b, const std::byte* b_corner) const {
    if (to.empty()) return;
    kernel_.multiply({to.rows.size(), to.columns.size(), inner, 0}, {a, b}, a_corner, b_corner,
                     true, kernel_.at(kernel_.result, to.rows.first, to.columns.first),
                     work_[rank_of(me)]);
    write(me, to);
  }
  /// A copy of a part of a panel, as an operand.
  [[nodiscard]] matmul::operand copied(vp* me, const rectangle& part) const {
    read(me, part);
    std::byte* const copy = copies_[rank_of(me)];
    const std::size_t bytes = part.columns.size() * kernel_.element_bytes;
    for (std::size_t i = 0; i < part.rows.size(); ++i)
      std::memcpy(copy + i * bytes, element(part.rows.first + i, part.columns.first), bytes);
    return {matmul::window(copy, part.rows.size(), part.columns.size(), part.columns.size(),
                           kernel_.element_bytes),
            matrix_op::none};
  }

  void diagonal(vp* me, const interval<>& k) const {
    read(me, {k, k});
    close_(const_cast<std::byte*>(element(k.first, k.first)), of_.a.row_step, k.size());
    write(me, {k, k});
  }
  void panels(vp* me, const interval<>& k) const {
    const std::byte* const closed = element(k.first, k.first);
    const auto parts = without(panel_of(rank_of(me)), k);
    if (!std::ranges::all_of(parts, &interval<>::empty)) read_new(me, 0, {k, k});
    for (const interval<>& part : parts) {
      if (part.empty()) continue;
      const matmul::operand row = copied(me, {k, part});
      add(me, {k, part}, k.size(), of_.a, closed, row, row.data);
      const matmul::operand column = copied(me, {part, k});
      add(me, {part, k}, k.size(), column, column.data, of_.b, closed);
    }
  }
  void rest(vp* me, const interval<>& k) const {
    const rectangle mine = matmul::share_of(whole(), vps_, rank_of(me));
    const auto rows = without(mine.rows, k), columns = without(mine.columns, k);
    if (std::ranges::all_of(rows, &interval<>::empty) ||
        std::ranges::all_of(columns, &interval<>::empty))
      return;
    for (std::size_t i = 0; i < rows.size(); ++i) read_panels(me, k, rows[i], columns[i]);
    for (const interval<>& some_rows : rows)
      for (const interval<>& some_columns : columns)
        if (!some_rows.empty() && !some_columns.empty())
          add(me, {some_rows, some_columns}, k.size(), of_.a, element(some_rows.first, k.first),
              of_.b, element(k.first, some_columns.first));
  }

  const matmul::any_product& kernel_;
  matmul::factors of_;  ///< the matrix, as either factor
  std::size_t n_;
  close_block close_;
  std::size_t vps_;
  std::size_t block_;  ///< no more than a VP's columns
  vp_arrays<std::byte> copies_, work_;
};

run_report close_matrix(machine& named, const matmul::any_product& kernel,
                        const matmul::window& matrix, close_block close,
                        const std::optional<std::size_t>& vps) {
  matmul::check_view("closure", "the matrix", matrix);
  const std::size_t n = matrix.rows;
  if (n != matrix.columns)
    throw usage_error("closure: a matrix of " + matmul::sizes(n, matrix.columns) +
                      " elements is not square; there is an edge from each vertex to each");
  const call_machine here(named);
  machine& on = *here;
  const std::size_t working = matmul::matmul_vps(on, "closure", n, n, n, vps);
  if (n == 0) return {};
  closure_program program(kernel, matrix, close, working);
  return run_phases(on, working, program);
}

}  // namespace pleat::detail::closures
