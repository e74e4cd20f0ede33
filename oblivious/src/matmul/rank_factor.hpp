// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>

#include "matmul/exchange.hpp"

namespace pleat::detail::matmul {

/// A factor that lies over ranks, as one of them sees it.
class rank_factor {
 public:
  rank_factor(const rank_matrix& matrix, matrix_op op)
      : all_(matrix.all), rank_(matrix.rank), op_(op), local_(matrix.local, op) {}

  /// The elements of op(matrix) that a rank has.
  [[nodiscard]] rectangle of(std::size_t rank) const noexcept { return turned(all_.of(rank)); }
  [[nodiscard]] bool has(const rectangle& elements) const noexcept {
    return of(rank_).covers(elements);
  }
  /// Some of those of this rank.
  [[nodiscard]] held_part held(const rectangle& elements) const noexcept {
    return {local_, corner_of(local_, local_.data, of(rank_), elements), elements};
  }
  /// Elements where they are, if this rank has all of them; else a copy, row by row of the matrix.
  [[nodiscard]] operand panel(const rectangle& elements, std::byte* copy) const {
    if (copy != nullptr) {
      const rectangle lying = turned(elements);
      return {window(copy, lying.rows.size(), lying.columns.size(), lying.columns.size(),
                     local_.element_bytes),
              op_};
    }
    operand there = local_;
    if (!elements.empty()) there.data = held(elements).corner;
    return there;
  }

 private:
  [[nodiscard]] rectangle turned(const rectangle& elements) const noexcept {
    return op_ == matrix_op::none ? elements : elements.transposed();
  }

  distribution::rank_rectangles all_;
  std::size_t rank_;
  matrix_op op_;
  operand local_;
};

/// Copies what has come into a copy of a panel, from `corner` of the panel on.
inline void copy_into(const operand& panel, std::byte* copy, const std::byte* corner,
                      const window& lent) {
  std::byte* const to = copy + (corner - panel.data);
  const std::size_t stride = panel.transposed ? panel.column_step : panel.row_step;
  for (std::size_t i = 0; i < lent.rows; ++i)
    std::copy_n(lent.data + i * lent.stride * lent.element_bytes, lent.columns * lent.element_bytes,
                to + i * stride * lent.element_bytes);
}

}  // namespace pleat::detail::matmul
