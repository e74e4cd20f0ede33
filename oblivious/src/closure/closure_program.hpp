// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <pleat/oblivious/detail/closure/program.hpp>
#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/rectangle.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::closures {

/// The closure of a matrix, by blocks of rows and columns K one after the other:
///
///     diagonal    one VP closes block K × K
///        │ a superstep
///     panels      rows K are multiplied by it from the left, columns K from the right; VPs share
///     them
///        │ a superstep
///     rest        each VP adds to its rectangle the product of columns K and rows K
///        │ a superstep
///
/// Rectangles are those of matmul (share_of), so a VP needs n/√P rows and columns of the panels.
class closure_program {
 public:
  closure_program(const matmul::any_product& kernel, const matmul::window& matrix,
                  close_block close, std::size_t vps)
      : kernel_(kernel),
        of_{matmul::operand(matrix, matrix_op::none), matmul::operand(matrix, matrix_op::none)},
        n_(matrix.rows),
        close_(close),
        working_(std::bit_floor(vps)),
        block_(std::clamp<std::size_t>(matmul::share_of(whole(), working_, 0).columns.size(), 1,
                                       n_ >= 2048  ? 256
                                       : n_ >= 512 ? 128
                                                   : 64)) {}

  /// Takes its memory.
  void lie_in(arena& in) {
    const matmul::sides most = matmul::most_of_shares(whole(), working_);
    const std::size_t panel = (n_ + working_ - 1) / working_;
    const std::size_t work = std::max({kernel_.work_bytes(most.rows, most.columns, block_),
                                       kernel_.work_bytes(block_, panel, block_),
                                       kernel_.work_bytes(panel, block_, block_)});
    copies_ = in.arrays<std::byte>(panel * block_ * kernel_.element_bytes, working_);
    work_ = in.arrays<std::byte>(work, working_);
  }

  /// The program of one VP.
  task<> operator()(vp& me) {
    const std::size_t q = me.rank();
    for (std::size_t first = 0; first < n_; first += block_) {
      const interval<> k = block_from(first);
      if (q == 0) diagonal(k);
      count_diagonal(me, k);
      co_await me.sync(0);
      if (q < working_) panels(q, k);
      count_panels(me, k);
      co_await me.sync(0);
      if (q < working_) rest(q, k);
      if (k.last == n_) break;
      count_rest(me, block_from(k.last));
      co_await me.sync(0);
    }
  }
  /// Carries out all of it by one VP.
  void run_alone() const {
    for (std::size_t first = 0; first < n_; first += block_) {
      const interval<> k = block_from(first);
      diagonal(k);
      panels(0, k);
      rest(0, k);
    }
  }

 private:
  [[nodiscard]] rectangle whole() const noexcept { return {{0, n_}, {0, n_}}; }
  [[nodiscard]] interval<> block_from(std::size_t first) const noexcept {
    return {first, std::min(first + block_, n_)};
  }
  /// Rows or columns of the panels that are VP q's.
  [[nodiscard]] interval<> panel_of(std::size_t q) const noexcept {
    return interval<>{0, n_}.share(q, working_);
  }
  /// Parts before K and behind it.
  static std::array<interval<>, 2> without(const interval<>& all, const interval<>& k) noexcept {
    return {intersect(all, {0, k.first}), intersect(all, {k.last, all.last})};
  }
  [[nodiscard]] const std::byte* element(std::size_t i, std::size_t j) const noexcept {
    return of_.a.at(of_.a.data, i, j);
  }

  /// to ← to + a·b, which begin there; these do not overlap.
  void add(std::size_t q, const rectangle& to, std::size_t inner, const matmul::operand& a,
           const std::byte* a_corner, const matmul::operand& b, const std::byte* b_corner) const {
    if (to.empty()) return;
    kernel_.multiply({to.rows.size(), to.columns.size(), inner, 0}, {a, b}, a_corner, b_corner,
                     true, kernel_.at(kernel_.result, to.rows.first, to.columns.first), work_[q]);
  }
  /// A copy of a part of a panel, as an operand.
  [[nodiscard]] matmul::operand copied(std::size_t q, const rectangle& part) const {
    const std::size_t bytes = part.columns.size() * kernel_.element_bytes;
    for (std::size_t i = 0; i < part.rows.size(); ++i)
      std::memcpy(copies_[q] + i * bytes, element(part.rows.first + i, part.columns.first), bytes);
    return {matmul::window(copies_[q], part.rows.size(), part.columns.size(), part.columns.size(),
                           kernel_.element_bytes),
            matrix_op::none};
  }

  void diagonal(const interval<>& k) const {
    close_(const_cast<std::byte*>(element(k.first, k.first)), of_.a.row_step, k.size());
  }
  void panels(std::size_t q, const interval<>& k) const {
    for (const interval<>& part : without(panel_of(q), k)) {
      if (part.empty()) continue;
      const std::byte* const closed = element(k.first, k.first);
      const matmul::operand row = copied(q, {k, part});
      add(q, {k, part}, k.size(), of_.a, closed, row, row.data);
      const matmul::operand column = copied(q, {part, k});
      add(q, {part, k}, k.size(), column, column.data, of_.b, closed);
    }
  }
  void rest(std::size_t q, const interval<>& k) const {
    const rectangle mine = matmul::share_of(whole(), working_, q);
    for (const interval<>& rows : without(mine.rows, k))
      for (const interval<>& columns : without(mine.columns, k))
        if (!rows.empty() && !columns.empty())
          add(q, {rows, columns}, k.size(), of_.a, element(rows.first, k.first), of_.b,
              element(k.first, columns.first));
  }

  // Elements that a VP reads and another one has written.
  void count_diagonal(vp& me, const interval<>& k) const {
    for (std::size_t r = 1; me.rank() == 0 && r < working_; ++r)
      if (!panel_of(r).empty()) me.count_crossing(r, k.size() * k.size());
  }
  void count_panels(vp& me, const interval<>& k) const {
    if (me.rank() >= working_) return;
    const interval<> mine = panel_of(me.rank());
    matmul::for_each_share(whole(), working_, {mine, {0, n_}},
                           [&](std::size_t r, const rectangle& part) {
                             me.count_crossing(r, k.size() * part.rows.size());
                           });
    matmul::for_each_share(whole(), working_, {{0, n_}, mine},
                           [&](std::size_t r, const rectangle& part) {
                             me.count_crossing(r, k.size() * part.columns.size());
                           });
  }
  void count_rest(vp& me, const interval<>& next) const {
    if (me.rank() >= working_) return;
    const rectangle mine = matmul::share_of(whole(), working_, me.rank());
    if (intersect(mine.rows, next).empty() && intersect(mine.columns, next).empty()) return;
    for (std::size_t r = 0; r < working_; ++r) {
      const interval<> panel = panel_of(r);
      std::size_t elements =
          intersect(mine, {next, panel}).size() + intersect(mine, {panel, next}).size();
      if (r == 0) elements += intersect(mine, {next, next}).size();
      me.count_crossing(r, elements);
    }
  }

  const matmul::any_product& kernel_;
  matmul::factors of_;  ///< the matrix, as either factor
  std::size_t n_;
  close_block close_;
  std::size_t working_;
  std::size_t block_;  ///< no more than a VP's columns
  vp_arrays<std::byte> copies_, work_;
};

}  // namespace pleat::detail::closures
