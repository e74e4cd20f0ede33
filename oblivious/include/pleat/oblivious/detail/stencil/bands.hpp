// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/transfer.hpp>
#include <pleat/oblivious/detail/stencil/zoid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>

namespace pleat::detail::stencils {

/// Space-time in bands of steps, for any grid, any boundary, any number of VPs. Pure functions.
///
/// One dimension is shared: it is cut at as many places as there are VPs. The steps are cut into
/// bands of equal height. In the first half of a band a VP computes the upright tiles between its
/// cuts, which shrink from step to step; in the second half it computes the inverted tiles that
/// grow between two of its own upright tiles, and between the last one of the previous VP and its
/// own first one. The cuts are placed so that all VPs have equal work.
///
///     steps  ▲   ╲  1   ╱ ╲   1   ╱   ╲    2   │
///            │ 1  ╲    ╱ 1 ╲     ╱  2  ╲       │      inverted: 1 between its own, 2 at the border
///            └──────┴────────────┴──────────────► cells
///
/// A band of h steps is two phases, or one if h = 1 or there is one VP. Before the first phase a VP
/// needs the cells beside its own; before the second it needs both latest values of h indices.
template <std::size_t D> class PLEAT_API bands {
 public:
  static constexpr bool recursive = false;
  static constexpr std::size_t dummies = 0;

  /// Piece of the work. All VPs compute all steps together, so there is only one piece.
  struct piece {
    segment vps;
    offset steps;
  };
  /// Half a band.
  struct phase {
    offset band;
    offset from;  ///< its first step
    offset height;
    bool inverted;
  };

  /// Requires steps ≥ 1, vps ≥ 1, every size ≥ 1. `cell_bytes`: of both levels of all fields. With
  /// `two` the kernel reads a cell's own value two steps back.
  bands(const std::array<offset, D>& size, const std::array<boundary, D>& edges,
        std::size_t cell_bytes, bool two, offset steps, std::size_t vps);

  // ---------------------------------------------------------------- who has what

  /// Number of VPs that have cells.
  [[nodiscard]] std::size_t holders() const noexcept { return holders_; }
  /// The cells that VP p has between two bands. Every cell of the grid has an owner.
  [[nodiscard]] box<D> home(std::size_t p) const noexcept { return with_shared(held(p)); }
  /// The cells that VPs of these ranks have or receive at any time; empty if they have none. On a
  /// ring that VPs share, the window has cells beyond the ends as copies of their own.
  [[nodiscard]] box<D> window(const interval<>& ranks) const noexcept {
    const std::size_t end = std::min(ranks.last, holders_);
    if (ranks.first >= end) return {};
    range all{held(ranks.first).first, held(end - 1).last};
    if (has_left(ranks.first)) all.first -= most_steps_;
    if (has_right(end - 1)) ++all.last;
    return with_shared(all);
  }
  [[nodiscard]] const std::array<boundary, D>& edges() const noexcept { return edges_; }
  /// The boundaries of a window. On a ring that VPs share they are fixed, because no cell at the
  /// ends of the window is computed.
  [[nodiscard]] std::array<boundary, D> window_edges() const noexcept {
    std::array<boundary, D> result = edges_;
    if (holders_ > 1 && rings_[shared_]) result[shared_] = boundary::fixed;
    return result;
  }

  // ---------------------------------------------------------------- phases

  [[nodiscard]] piece whole(const segment& all, offset steps) const noexcept {
    return {all, steps};
  }
  [[nodiscard]] std::optional<phase> first(const piece& of) const noexcept {
    return phase{0, 0, height(of.steps, 0), false};
  }
  [[nodiscard]] std::optional<phase> next(const piece& of, const phase& last) const noexcept {
    if (!last.inverted && last.height > 1 && holders_ > 1)
      return phase{last.band, last.from, last.height, true};
    if (last.from + last.height == of.steps) return std::nullopt;
    return phase{last.band + 1, last.from + last.height, height(of.steps, last.band + 1), false};
  }

  /// Returns the last phase.
  [[nodiscard]] phase last(const piece& of) const noexcept {
    const offset band = (of.steps + most_steps_ - 1) / most_steps_ - 1;
    const offset steps = height(of.steps, band);
    return {band, of.steps - steps, steps, steps > 1 && holders_ > 1};
  }

  [[nodiscard]] static constexpr bool divides(const piece&) noexcept { return false; }
  /// Calls visit(tile) for the tiles of VP p in a phase, in a valid order of computation.
  template <class Visit>
  void for_each_tile(std::size_t p, const piece&, const phase& now, const Visit& visit) const {
    zoid<D> tile;
    tile.from = now.from;
    tile.height = now.height;
    const offset first = borders_[p], last = borders_[p + 1];
    const bool cuts_in_two = p == 0 && holders_ > 1 && !rings_[shared_];
    const auto shared = [&](offset low, offset high, int left, int right) {
      tile.in[shared_] = {low, high, left, right, true};
      others<0>(tile, visit);
    };
    if (now.inverted) {
      if (has_left(p)) shared(first, first, -1, 1);
      if (cuts_in_two) shared(inner_, inner_, -1, 1);
    } else if (holders_ == 1 && rings_[shared_]) {
      shared(0, last, 1, -1);
      shared(last, last, -1, 1);
    } else if (holders_ == 1) {
      tile.in[shared_] = {first, last, 0, 0, edges_[shared_] != boundary::periodic};
      others<0>(tile, visit);
    } else {
      const int l = has_left(p) ? 1 : 0, r = has_right(p) ? -1 : 0;
      if (cuts_in_two) shared(first, inner_, l, -1);
      shared(cuts_in_two ? inner_ : first, last, cuts_in_two ? 1 : l, r);
    }
  }

  // ---------------------------------------------------------------- exchange

  /// Returns a phase after which the distance of every VP's cells from home is greatest.
  [[nodiscard]] phase longest() const noexcept { return {0, 0, most_steps_, true}; }
  /// Box of all cells with these indices of the shared dimension.
  [[nodiscard]] box<D> with_shared(const range& indices) const noexcept {
    box<D> cells;
    for (std::size_t i = 0; i < D; ++i) cells.sides[i] = {0, size_[i]};
    cells.sides[shared_] = indices;
    return cells;
  }
  /// Makes a distance in the shared dimension.
  [[nodiscard]] point<D> shift(offset by) const noexcept {
    point<D> x{};
    x[shared_] = by;
    return x;
  }
  /// Indices of the shared dimension that a VP holds. On a ring the VP's own indices are greater by
  /// `off`.
  struct held_indices {
    range indices;
    offset off = 0;
  };

  /// Calls visit(held_indices) for the indices of which VP p has the latest values after a phase.
  template <class Visit>
  void for_each_held(std::size_t p, const piece&, const std::optional<phase>& before,
                     const Visit& visit) const {
    range mine = held(p);
    if (before && (before->inverted || before->height == 1)) {
      // The inverted tile at a border has been computed by the VP after it.
      const offset slope = before->height - 1;
      if (has_left(p)) mine.first -= slope;
      if (has_right(p)) mine.last -= slope;
    }
    const offset n = size_[shared_];
    if (mine.first < 0) {
      visit(held_indices{{mine.first + n, n}, -n});
      mine.first = 0;
    }
    visit(held_indices{mine});
  }
  /// Calls visit(transfer) for those of these indices, which VP p holds, that others need in a
  /// phase.
  template <class Visit>
  void for_each_needed(std::size_t p, const piece&, const phase& now, const held_indices& of,
                       const Visit& visit) const {
    const auto ask = [&](std::size_t q, unsigned level, const range& needed) {
      const offset n = size_[shared_];
      for (const offset round : {-n, offset{0}, n}) {
        const range both = intersect(of.indices, {needed.first + round, needed.last + round});
        if (both.empty()) continue;
        visit(transfer<D>{q, with_shared(both), level, shift(of.off), shift(-round)});
      }
    };
    const auto ask_one = [&](std::size_t q) {
      const range own = held(q);
      const auto latest = static_cast<unsigned>(now.from % 2);
      if (now.inverted) {
        const range slope{own.first - (has_left(q) ? now.height : 0), own.last};
        for (const unsigned level : {0U, 1U}) ask(q, level, slope);
      } else {
        ask(q, latest, {own.first - (has_left(q) ? 1 : 0), own.last + (has_right(q) ? 1 : 0)});
        if (two_) ask(q, 1 - latest, own);
      }
    };
    for_each_neighbour(p, ask_one);
  }
  /// Calls visit(q, cells) for those of these indices that are at home with other VPs than p.
  template <class Visit>
  void for_each_away(std::size_t p, const piece&, const held_indices& of,
                     const Visit& visit) const {
    for_each_neighbour(p, [&](std::size_t q) {
      const range theirs = intersect(of.indices, held(q));
      if (!theirs.empty()) visit(q, with_shared(theirs));
    });
  }
  /// Calls visit(q) for the VPs that hold cells which VP p may need, in the order of their ranks.
  template <class Visit> void for_each_neighbour(std::size_t p, const Visit& visit) const {
    const bool l = has_left(p), r = has_right(p) && !(l && left(p) == right(p));
    if (l && !(r && right(p) < left(p))) visit(left(p));
    if (r) visit(right(p));
    if (l && r && right(p) < left(p)) visit(left(p));
  }

 private:
  /// The cells of a dimension that change.
  [[nodiscard]] range updated(std::size_t i) const noexcept {
    if (edges_[i] == boundary::fixed) return {1, std::max<offset>(size_[i] - 1, 1)};
    return {0, size_[i]};
  }
  /// The indices of VP p in the shared dimension.
  [[nodiscard]] range held(std::size_t p) const noexcept {
    return {p == 0 ? 0 : borders_[p], p + 1 == holders_ ? size_[shared_] : borders_[p + 1]};
  }
  /// Tells whether there is a VP before p, left(p), which then has the cells beside p's first.
  [[nodiscard]] bool has_left(std::size_t p) const noexcept {
    return holders_ > 1 && (p > 0 || rings_[shared_]);
  }
  [[nodiscard]] bool has_right(std::size_t p) const noexcept {
    return holders_ > 1 && (p + 1 < holders_ || rings_[shared_]);
  }
  [[nodiscard]] std::size_t left(std::size_t p) const noexcept {
    return (p + holders_ - 1) % holders_;
  }
  [[nodiscard]] std::size_t right(std::size_t p) const noexcept { return (p + 1) % holders_; }

  /// Number of steps of the band.
  [[nodiscard]] offset height(offset steps, offset band) const noexcept {
    const offset all = (steps + most_steps_ - 1) / most_steps_;
    return steps / all + (band < steps % all ? 1 : 0);
  }

  /// Sets the other dimensions of a tile: the whole dimension; or, if it is a ring worth cutting,
  /// first the upright tile, then the inverted one.
  template <std::size_t I, class Visit> void others(zoid<D>& tile, const Visit& visit) const {
    if constexpr (I == D) {
      visit(static_cast<const zoid<D>&>(tile));
    } else if (I == shared_) {
      others<I + 1>(tile, visit);
    } else if (rings_[I]) {
      tile.in[I] = {0, size_[I], 1, -1, true};
      others<I + 1>(tile, visit);
      tile.in[I] = {size_[I], size_[I], -1, 1, true};
      others<I + 1>(tile, visit);
    } else {
      const range all = updated(I);
      tile.in[I] = {all.first, all.last, 0, 0, edges_[I] != boundary::periodic && worth_cutting(I)};
      others<I + 1>(tile, visit);
    }
  }

  void choose_shared(std::size_t vps);
  [[nodiscard]] bool worth_cutting(std::size_t i) const noexcept;
  void cut_borders();

  std::array<offset, D> size_;
  std::array<boundary, D> edges_;
  std::size_t cell_bytes_;  ///< both levels
  bool two_;
  std::size_t shared_ = 0;
  std::size_t holders_ = 1;
  offset most_steps_ = 1;
  offset inner_ = 0;  ///< cut inside the first VP's cells
  std::array<bool, D> rings_{};
  std::vector<offset> borders_;  ///< borders of the cells that change
};

}  // namespace pleat::detail::stencils
