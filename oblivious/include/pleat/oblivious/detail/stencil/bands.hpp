// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>

namespace pleat::detail::stencils {

/// Limits to which a tile is refined, and the shape of its parts: constants of the program, not of
/// the machine it runs on.
template <std::size_t D> struct grain {
  std::size_t bytes;               ///< a part of at most that many bytes is swept as a whole
  std::array<offset, D> least;     ///< least width of a part
  std::array<double, D> to_steps;  ///< desired width, as a multiple of the steps
  offset chunk;                    ///< see any_sweeper

  // Sizes that fit in the caches near a core, on any processor; fewer bytes if a row has few
  // neighbours.
  static constexpr std::size_t near_bytes = std::size_t{24} << 10;
  static constexpr std::size_t far_bytes = std::size_t{384} << 10;

  /// Makes the limits for a sweeper with this chunk.
  [[nodiscard]] static grain with_chunk(offset chunk) noexcept {
    grain fine{};
    fine.chunk = chunk;
    fine.bytes = D == 1 ? near_bytes : far_bytes;
    for (std::size_t i = 0; i < D; ++i) {
      const bool rows = i + 1 < D;
      fine.least[i] = rows ? 2 : 512;
      fine.to_steps[i] = rows ? 1 : D == 1 ? 8 : 64;
    }
    return fine;
  }
};

/// Calls `sweep(part)` for every part of a tile, in an order with good locality.
///
/// Cost: Q = O(V/(B·M^(1/d))) transfers for V cells, d cut dimensions and a cache of size M with
/// lines of B, as long as a part fits in M; O(1) for each part.
/// Source: Frigo, Strumpen, Cache Oblivious Stencil Computations, 2005; the coordinates are those
/// of Bilardi et al., Network-Oblivious Algorithms, section 4.
template <std::size_t D, class Sweep> class refinement {
 public:
  /// `cell_bytes`: size of both time levels of all fields.
  refinement(const zoid<D>& tile, std::size_t cell_bytes, const grain<D>& fine, const Sweep& sweep)
      : tile_(tile), cell_bytes_(cell_bytes), grain_(fine), sweep_(sweep) {
    for (std::size_t i = 0; i < D; ++i)
      if (!tile.in[i].cut)
        cell_bytes_ *=
            static_cast<std::size_t>(std::max<offset>(tile.in[i].high(0) - tile.in[i].low(0), 1));
  }

  void run() const {
    if constexpr (D == 1) {
      if (grain_.chunk > 0) return run_in_chunks();
    }
    refine(whole(0, tile_.height));
  }

 private:
  [[nodiscard]] part_of_zoid<D> whole(offset first, offset last) const noexcept {
    part_of_zoid<D> all{first, last, {}, {}};
    for (std::size_t i = 0; i < D; ++i) {
      all.low[i] = lowest(i, first, last);
      all.high[i] = highest(i, first, last);
    }
    return all;
  }

  /// Runs bands of steps one after the other; in each, the leaning part of the tile, chunk by
  /// chunk, and the parts left and right of it. In h steps that takes h² updates for each edge that
  /// leans the other way, and the load and store of w cells cost as much as w/h updates.
  void run_in_chunks() const requires(D == 1) {
    const part_of_zoid<D> all = whole(0, tile_.height);
    offset most = 16;  // even, and up to 512 the root of the width
    while (most < 512 && (most + 2) * (most + 2) <= all.high[0] - all.low[0]) most += 2;
    const offset bands = (tile_.height + most - 1) / most;
    for (offset band = 0, first = 0; band < bands; ++band) {
      const offset last = (band + 1) * tile_.height / bands;
      part_of_zoid<D> left = whole(first, last), right = left;
      const extent& e = tile_.in[0];
      const offset low = std::max(e.low(first) + first, e.low(last - 1) + last - 1);
      const offset high = std::min(e.high(first) + first, e.high(last - 1) + last - 1);
      if (!e.cut || high - low < grain_.chunk / 8) {
        refine(left);
      } else {
        left.high[0] = low;
        right.low[0] = high;
        refine(left);
        for (offset x = low; x < high; x += grain_.chunk)
          sweep_(part_of_zoid<D>{first, last, {x}, {std::min(x + grain_.chunk, high)}});
        refine(right);
      }
      first = last;
    }
  }

  // Both edges are linear in the step, so the extreme is at the first or the last step.
  [[nodiscard]] offset lowest(std::size_t i, offset first, offset last) const noexcept {
    return std::min(tile_.in[i].low(first) + first, tile_.in[i].low(last - 1) + last - 1);
  }
  [[nodiscard]] offset highest(std::size_t i, offset first, offset last) const noexcept {
    return std::max(tile_.in[i].high(first) + first, tile_.in[i].high(last - 1) + last - 1);
  }

  void refine(part_of_zoid<D> part) const {
    const offset steps = part.last - part.first;
    if (steps <= 0) return;
    double bytes = static_cast<double>(cell_bytes_);
    std::size_t widest = D;
    double most = 0;
    for (std::size_t i = 0; i < D; ++i) {
      if (!tile_.in[i].cut) continue;
      part.low[i] = std::max(part.low[i], lowest(i, part.first, part.last));
      part.high[i] = std::min(part.high[i], highest(i, part.first, part.last));
      const offset width = part.high[i] - part.low[i];
      if (width <= 0) return;
      // Number of cells of the part: at most the width plus the steps, or the tile's own.
      bytes *= static_cast<double>(std::min(width + steps, reach(i, part.first, part.last)));
      if (width < 2 * grain_.least[i]) continue;
      const double by_steps = static_cast<double>(width) / grain_.to_steps[i];
      if (by_steps > most) {
        most = by_steps;
        widest = i;
      }
    }
    const bool fits = bytes <= static_cast<double>(grain_.bytes);
    if (fits || (widest == D && steps == 1)) {
      sweep_(part);
      return;
    }
    part_of_zoid<D> lower = part;
    if (steps > 1 && (widest == D || most <= static_cast<double>(steps))) {
      lower.last = part.first = part.first + steps / 2;
    } else {
      lower.high[widest] = part.low[widest] =
          part.low[widest] + (part.high[widest] - part.low[widest]) / 2;
    }
    refine(lower);
    refine(part);
  }

  /// Number of different cells of the tile itself between two steps.
  [[nodiscard]] offset reach(std::size_t i, offset first, offset last) const noexcept {
    const extent& e = tile_.in[i];
    return std::max(e.high(first), e.high(last - 1)) - std::min(e.low(first), e.low(last - 1));
  }

  zoid<D> tile_;
  std::size_t cell_bytes_;
  grain<D> grain_;
  const Sweep& sweep_;
};

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
