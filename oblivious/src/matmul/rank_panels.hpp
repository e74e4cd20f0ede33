// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/matmul/any_product.hpp>
#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/detail/matmul/shape.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "matmul/exchange.hpp"

namespace pleat::detail::matmul {

/// VPs of one rank that compute a part of C together.
struct node {
  std::size_t rank;
  std::size_t first;         ///< VP
  std::size_t index, nodes;  ///< which it is of how many of its rank
  rectangle c;
};

/// Tells whether all ranks have as many VPs.
[[nodiscard]] bool alike(const distribution::rank_places& places) noexcept;
/// One node a rank; if not all ranks have as many VPs, each VP is one. Nodes without elements have
/// neither rows nor columns.
[[nodiscard]] std::vector<node> nodes_of(const distribution::rank_rectangles& c,
                                         const distribution::rank_places& places);

/// A factor that lies over ranks, as one of them sees it.
class rank_factor {
 public:
  rank_factor(const rank_matrix& matrix, matrix_op op)
      : all_(matrix.all), rank_(matrix.rank), op_(op), local_(matrix.local, op) {}

  /// The elements of op(matrix) that a rank has.
  [[nodiscard]] rectangle of(std::size_t rank) const noexcept {
    const rectangle elements = all_.of(rank);
    return op_ == matrix_op::none ? elements : elements.transposed();
  }
  /// Some of those of this rank.
  [[nodiscard]] held_part held(const rectangle& elements) const noexcept {
    return {local_, corner_of(local_, local_.data, of(rank_), elements), elements};
  }
  [[nodiscard]] bool has(const rectangle& elements) const noexcept {
    return of(rank_).covers(elements);
  }
  /// Elements that this rank has, where they are, or a copy, row by row of the matrix.
  [[nodiscard]] operand panel(const rectangle& elements, std::byte* copy) const;

 private:
  distribution::rank_rectangles all_;
  std::size_t rank_;
  matrix_op op_;
  operand local_;
};

/// A node's factors for a part of the sum. What its rank does not have alone is copied.
struct panel {
  cuboid problem;
  factors of;
  std::byte* copy_a;
  std::byte* copy_b;
};

/// Panels of factors that lie over ranks, and the steps in which they come. Indices of the sum are
/// cut where ranks' parts of A or B end, and each piece into as many shares as there are steps; a
/// step has one share of each piece, so that in each step all ranks send. Pure functions, and two
/// halves of a superstep.
class rank_panels {
 public:
  /// Requires: `each` VPs of each node hold the elements of their rank, a power of two.
  rank_panels(const any_product& product, const rank_factor& a, const rank_factor& b,
              std::vector<interval<>> pieces, std::vector<node> nodes, std::size_t each,
              std::size_t rank);

  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  /// The nodes of this rank.
  [[nodiscard]] interval<> here() const noexcept { return here_; }
  [[nodiscard]] const node& at(std::size_t index) const noexcept { return nodes_[index]; }
  /// The most indices of a panel.
  [[nodiscard]] std::size_t thickest() const noexcept;
  /// Takes memory for copies.
  void lie_in(arena& in);

  /// Before the barrier of a step: this VP of node `mine` lends what it holds.
  void lend(vp& me, const node& mine, std::size_t step) const;
  /// Behind it: takes its share of the node's panels.
  [[nodiscard]] std::vector<panel> take(vp& me, const node& mine, std::size_t step) const;

 private:
  struct copies {
    std::byte *a = nullptr, *b = nullptr;
  };

  /// What the i-th VP of a node holds of a factor.
  [[nodiscard]] rectangle held(const rank_factor& of, const node& n, std::size_t i) const noexcept {
    const rectangle all = of.of(n.rank);
    return {all.rows.share(n.index * each_ + i, n.nodes * each_), all.columns};
  }
  [[nodiscard]] cuboid problem(const node& n, std::size_t piece, std::size_t step) const noexcept {
    return {n.c.rows, n.c.columns, pieces_[piece].share(step, steps_)};
  }
  void take_piece(vp& me, const rectangle& piece, const rectangle& whole, const operand& into,
                  std::byte* copy) const;

  const any_product& product_;
  rank_factor a_, b_;
  std::vector<interval<>> pieces_;
  std::size_t steps_;
  std::vector<node> nodes_;
  std::size_t each_;
  interval<> here_;
  std::vector<copies> copies_;  ///< of each node here, for each piece
};

}  // namespace pleat::detail::matmul
