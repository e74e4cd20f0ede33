// SPDX-License-Identifier: Apache-2.0
#include "matmul/rank_panels.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace pleat::detail::matmul {

bool alike(const distribution::rank_places& places) noexcept {
  return std::ranges::all_of(places,
                             [&](const rank_range& vps) { return vps.size() == places[0].size(); });
}

std::vector<node> nodes_of(const distribution::rank_rectangles& c,
                           const distribution::rank_places& places) {
  std::vector<node> nodes;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const rectangle all = c.of(rank);
    const std::size_t here = alike(places) ? 1 : places[rank].size();
    const distribution::rank_rectangles cut(all.rows.size(), all.columns.size(), here);
    for (std::size_t i = 0; i < here; ++i) {
      const auto moved = [](const interval<>& part, std::size_t by) {
        return interval<>{part.first + by, part.last + by};
      };
      const rectangle part = cut.of(i);
      nodes.push_back({rank, places[rank].first + i, i, here,
                       part.empty() ? rectangle{}
                                    : rectangle{moved(part.rows, all.rows.first),
                                                moved(part.columns, all.columns.first)}});
    }
  }
  return nodes;
}

operand rank_factor::panel(const rectangle& elements, std::byte* copy) const {
  if (copy == nullptr) {
    operand there = local_;
    if (!elements.empty()) there.data = held(elements).corner;
    return there;
  }
  const rectangle in_memory = op_ == matrix_op::none ? elements : elements.transposed();
  const std::size_t columns = in_memory.columns.size();
  return {window(copy, in_memory.rows.size(), columns, columns, local_.element_bytes), op_};
}

rank_panels::rank_panels(const any_product& product, const rank_factor& a, const rank_factor& b,
                         std::vector<interval<>> pieces, std::vector<node> nodes, std::size_t each,
                         std::size_t rank)
    : product_(product),
      a_(a),
      b_(b),
      pieces_(std::move(pieces)),
      steps_(distribution::panel_steps(pieces_)),
      nodes_(std::move(nodes)),
      each_(each) {
  const auto mine = std::ranges::equal_range(nodes_, rank, {}, &node::rank);
  here_.first = static_cast<std::size_t>(mine.begin() - nodes_.begin());
  here_.last = here_.first + mine.size();
  copies_.resize(here_.size() * pieces_.size());
}

std::size_t rank_panels::thickest() const noexcept {
  std::size_t most = 0;
  for (const interval<>& piece : pieces_) most = std::max(most, piece.size());
  return (most + steps_ - 1) / steps_;
}

void rank_panels::lie_in(arena& in) {
  auto to = copies_.begin();
  for (std::size_t n = here_.first; n < here_.last; ++n) {
    for (const interval<>& piece : pieces_) {
      const std::size_t thick = (piece.size() + steps_ - 1) / steps_;
      const cuboid all{nodes_[n].c.rows, nodes_[n].c.columns, piece};
      const auto copy = [&](const rank_factor& of, const rectangle& elements, std::size_t length) {
        return of.has(elements) ? nullptr
                                : in.array<std::byte>(length * thick * product_.element_bytes);
      };
      *to++ = {copy(a_, all.a(), all.rows.size()), copy(b_, all.b(), all.columns.size())};
    }
  }
}

void rank_panels::lend(vp& me, const node& mine, std::size_t step) const {
  const std::size_t i = me.rank() - mine.first;
  const held_part a = a_.held(held(a_, mine, i)), b = b_.held(held(b_, mine, i));
  for (const node& to : nodes_) {
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      const cuboid needed = problem(to, piece, step);
      lend_shares(me, product_, a, needed.a(), to.first, each_);
      lend_shares(me, product_, b, needed.b(), to.first, each_);
    }
  }
}

std::vector<panel> rank_panels::take(vp& me, const node& mine, std::size_t step) const {
  std::vector<panel> panels;
  const copies* copy = &copies_[mine.index * pieces_.size()];
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece, ++copy) {
    const cuboid needed = problem(mine, piece, step);
    panels.push_back(
        {needed, {a_.panel(needed.a(), copy->a), b_.panel(needed.b(), copy->b)}, copy->a, copy->b});
  }
  const std::size_t rank = me.rank() - mine.first;
  for (const node& from : nodes_) {
    for (std::size_t i = 0; i < each_; ++i) {
      const rectangle held_a = held(a_, from, i), held_b = held(b_, from, i);
      for (const panel& p : panels) {
        const rectangle a = p.problem.a(), b = p.problem.b();
        take_piece(me, intersect(held_a, share_of(a, each_, rank)), a, p.of.a, p.copy_a);
        take_piece(me, intersect(held_b, share_of(b, each_, rank)), b, p.of.b, p.copy_b);
      }
    }
  }
  return panels;
}

void rank_panels::take_piece(vp& me, const rectangle& piece, const rectangle& whole,
                             const operand& into, std::byte* copy) const {
  if (piece.empty()) return;
  const std::optional<message> one = me.receive();
  assert(one);
  if (copy == nullptr) return;  // it lies where it is read
  const window lent = product_.lent(*one);
  std::byte* to = copy + (corner_of(into, copy, whole, piece) - copy);
  const std::size_t stride = into.transposed ? into.column_step : into.row_step;
  for (std::size_t i = 0; i < lent.rows; ++i)
    std::copy_n(lent.data + i * lent.stride * lent.element_bytes, lent.columns * lent.element_bytes,
                to + i * stride * lent.element_bytes);
}

}  // namespace pleat::detail::matmul
