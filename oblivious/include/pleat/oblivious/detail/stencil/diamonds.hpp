// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <vector>

#include <pleat/oblivious/detail/stencil/coordinates.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/segment.hpp>

namespace pleat::detail::stencils {

/// Space-time in diamonds (octahedra and tetrahedra where d = 2), recursively: the paper's program
/// for n^d cells, n a power of two, on as many VPs. Pure functions.
///
/// The grid is computed in stages, n steps at a time: tiles of width n, each by all VPs. A segment
/// of w^d VPs that computes a tile of width w has the cells of the tile's cube, one a VP: the w^d
/// points that begin w/2 before its middle. The tile is cut into tiles of width w/k, k = 2^⌈√log2
/// n⌉, which are computed in phases: tiles with equal sums at once, by distinct segments of (w/k)^d
/// VPs. If w ≤ k, the parts are single points: one step after the other.
///
/// Before a phase each segment receives the values that its tile reads: the two latest values of
/// the cells of its cube, and of the cells beside it. They come from the VPs that computed them in
/// the previous phase, or else from the home of the cell in the enclosing segment; computed values
/// are also sent home. After the last phase of a tile its values are already at home (`shifted`).
///
/// Cost: a row (d = 1) takes five stages, one of them a full diamond. That takes (2k − 1)^i
/// supersteps of level i ≥ 1 with the label (i − 1)·log2 k, and w supersteps for each of its tiles
/// of the last level, w ≤ k. For d = 2 there are 17 stages, and an octahedron has 4k − 3 stripes,
/// of which the 2k − 2 with tetrahedra take two phases each, one for each kind: a stripe has up to
/// 2k(k − 1) of them, for k² segments. A VP sends and receives O(1) messages in a superstep (4 at
/// most for d = 1, 12 for d = 2), one a cell with its two values. H(n, p, σ) = O(n^d/p^((d − 1)/d)
/// · 2^((d + 1)·√log2 n)) for σ = O(n^d/p). With dummy messages, 2^d for each cell, it is wise.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.4; two phases for a stripe of tetrahedra, and d = 3, are ours.
template <std::size_t D> class PLEAT_API diamonds {
 public:
  static constexpr bool recursive = true;
  static constexpr std::size_t dummies = std::size_t{1} << D;

  /// A tile that a segment computes.
  struct piece {
    segment vps;
    offset steps = 0;       ///< steps of the run: later ones are not computed
    std::size_t depth = 0;  ///< 0: the grid, for all steps
    offset from = 0;        ///< the step that is time 0
    tile<D> whole{};
    point<D> corner{};                             ///< corner of its cube
    unsigned kind = 0;                             ///< the dimensions that are one ahead
    bool present = true;                           ///< false: the segment only performs supersteps
    const std::vector<sums<D>>* phases = nullptr;  ///< … less k times the least of its own sums
  };
  /// Phase: the part of a piece computed between two supersteps, with u_i in u[i], z_i = s_i − u_i.
  struct phase {
    std::size_t index;
    offset from;
    sums<D> s;
    std::array<range, D> u;
    unsigned kind;
  };

  /// Tells whether the grid is a cube of n cells a side, n a power of two, that is not periodic and
  /// has a VP for each cell.
  [[nodiscard]] static bool fit(const std::array<offset, D>& size,
                                const std::array<boundary, D>& edges, std::size_t vps) noexcept;
  /// Requires fit() for these arguments.
  diamonds(const std::array<offset, D>& size, const std::array<boundary, D>& edges, offset steps);

  // ---------------------------------------------------------------- who has what

  [[nodiscard]] std::size_t holders() const noexcept {
    return std::size_t{1} << D * levels_[0].log_width;
  }
  [[nodiscard]] box<D> home(std::size_t rank) const noexcept {
    point<D> x = place_of(0, 0, rank);
    for (std::size_t i = 0; i < D; ++i) x[i] += all_.points.sides[i].first;
    return in_grid(x);
  }

  // ---------------------------------------------------------------- phases

  [[nodiscard]] piece whole(const segment& all, offset steps) const noexcept {
    piece grid{all, steps};
    for (std::size_t i = 0; i < D; ++i) grid.corner[i] = all_.points.sides[i].first;
    return grid;
  }
  [[nodiscard]] std::optional<phase> first(const piece& of) const {
    return phase_of(of, 0, of.from);
  }
  [[nodiscard]] std::optional<phase> next(const piece& of, const phase& last) const {
    const std::size_t count = of.depth == 0 ? stages_.size() : of.phases->size();
    if (last.index + 1 < count) return phase_of(of, last.index + 1, last.from);
    const offset from = last.from + all_.times.size();
    if (of.depth > 0 || from >= of.steps) return std::nullopt;
    return phase_of(of, 0, from);
  }
  /// Returns the last phase of the grid.
  [[nodiscard]] phase last(const piece& of) const {
    const offset n = all_.times.size();
    return phase_of(of, stages_.size() - 1, (of.steps - 1) / n * n);
  }
  /// Tells whether the tiles of the piece's phases are more than points.
  [[nodiscard]] bool divides(const piece& of) const noexcept {
    return of.depth + 2 < levels_.size();
  }
  /// The tile that the segment of VP `rank` computes in a phase.
  [[nodiscard]] piece part(const piece& of, const phase& now, std::size_t rank) const;
  /// Calls visit(tile) for the point that VP `rank` computes in a phase, if there is one. Requires
  /// !divides(of).
  template <class Visit>
  void for_each_tile(std::size_t rank, const piece& of, const phase& now,
                     const Visit& visit) const {
    const piece one = part(of, now, rank);
    zoid<D> at;
    at.from = one.from + one.whole.in[0].sum() / 2;
    at.height = 1;
    bool computed = one.present && at.from < one.steps;
    for (std::size_t i = 0; i < D && computed; ++i) {
      computed = updated_.sides[i].contains(one.corner[i]);
      const offset x = one.corner[i] - all_.points.sides[i].first;
      at.in[i] = {x, x + 1, 0, 0};
    }
    if (computed) visit(static_cast<const zoid<D>&>(at));
  }

  // ---------------------------------------------------------------- exchange

  /// Calls visit(x) for the cells that a VP holds after a phase: the cell that it has computed, and
  /// the cells that are at home with it in the piece and have not been computed since.
  template <class Visit>
  void for_each_held(std::size_t rank, const piece& of, const std::optional<phase>& before,
                     const Visit& visit) const {
    if (!of.present) return;
    if (before) {
      const piece done = part(of, *before, rank);
      if (done.present)
        for_each_own(done, rank, [&](const point<D>& x) {
          for (std::size_t i = 0; i < D; ++i)
            if (std::abs(x[i] - middle(done, i)) > reach_of_points(done.depth)) return;
          visit(x);
        });
    }
    for_each_own(of, rank, [&](const point<D>& x) {
      bool newer = false;
      if (before)
        for_each_part(of, *before, x, reach_of_points(of.depth + 1),
                      [&](const piece&) { newer = true; });
      if (!newer) visit(x);
    });
  }
  /// Calls visit(transfer) for the VPs other than `rank` that need cell x in a phase, or have it at
  /// home.
  template <class Visit>
  void for_each_needed(std::size_t rank, const piece& of, const phase& now, const point<D>& x,
                       const Visit& visit) const {
    const auto needs = [&](std::size_t q) { visit(transfer<D>{q, in_grid(x), transfer<D>::both}); };
    std::size_t home = holder(of, x);
    for_each_part(of, now, x, reach_of_inputs(of.depth + 1), [&](const piece& one) {
      const std::size_t q = holder(one, x);
      if (q == home) home = rank;
      if (q != rank) needs(q);
    });
    if (home != rank) needs(home);
  }
  /// Calls visit(q, cell) if cell x is at home with another VP than `rank`.
  template <class Visit>
  void for_each_away(std::size_t rank, const piece& of, const point<D>& x,
                     const Visit& visit) const {
    const std::size_t home = holder(of, x);
    if (home != rank) visit(home, in_grid(x));
  }

 private:
  /// Level of tiles of width 2^log_width, which are cut into 2^log_cuts parts in each dimension.
  struct level {
    unsigned log_width;
    unsigned log_cuts;
  };
  /// A tile that is computed by all VPs, and the phases in which some of its parts have points.
  struct stage {
    tile<D> whole;
    std::vector<sums<D>> phases;
  };
  static constexpr unsigned kinds = (1U << D) - 1;

  [[nodiscard]] offset half(std::size_t depth) const noexcept {
    return (offset{1} << levels_[depth].log_width) / 2;
  }
  /// Greatest distance from the middle of a tile to its points, and to the points on which these
  /// depend.
  [[nodiscard]] offset reach_of_points(std::size_t depth) const noexcept {
    return std::max<offset>(half(depth) - 1, 0);
  }
  [[nodiscard]] offset reach_of_inputs(std::size_t depth) const noexcept {
    return reach_of_points(depth) + 1;
  }
  [[nodiscard]] offset middle(const piece& of, std::size_t i) const noexcept {
    return of.corner[i] + half(of.depth);
  }
  /// Returns the cell in coordinates of the grid, which begin at 0.
  [[nodiscard]] box<D> in_grid(const point<D>& x) const noexcept {
    box<D> cell;
    for (std::size_t i = 0; i < D; ++i) {
      const offset at = x[i] - all_.points.sides[i].first;
      cell.sides[i] = {at, at + 1};
    }
    return cell;
  }

  [[nodiscard]] phase phase_of(const piece& of, std::size_t index, offset from) const;
  /// Makes the piece of a tile of a phase, with its segment. Requires that the tile has points.
  [[nodiscard]] piece make_part(const piece& of, const phase& now, const tile<D>& whole) const;
  /// Tells whether the cube of a tile is distributed to the segments with an offset of half a part
  /// in this dimension. The parts of the last phase of a tile have this offset, so its results are
  /// at home.
  [[nodiscard]] static constexpr bool shifted(std::size_t depth, unsigned kind, std::size_t i) {
    return depth > 0 && (kind >> i & 1) == 0;
  }
  [[nodiscard]] offset shift(const piece& of, std::size_t i) const noexcept {
    return shifted(of.depth, of.kind, i) ? half(of.depth + 1) : 0;
  }

  /// VP of a segment that has a point of a tile's cube, counted from its corner; and the inverse.
  [[nodiscard]] std::size_t rank_of(std::size_t depth, unsigned kind, point<D> at) const noexcept;
  [[nodiscard]] point<D> place_of(std::size_t depth, unsigned kind,
                                  std::size_t rank) const noexcept;
  /// Finds the VP that holds a point; a point outside the cube is held with the nearest point
  /// inside.
  [[nodiscard]] std::size_t holder(const piece& of, const point<D>& x) const noexcept {
    point<D> at;
    const offset width = offset{1} << levels_[of.depth].log_width;
    for (std::size_t i = 0; i < D; ++i)
      at[i] = std::clamp<offset>(x[i] - of.corner[i], 0, width - 1);
    return of.vps.first + rank_of(of.depth, of.kind, at);
  }
  /// Calls visit(x) for the cell of a tile's cube that a VP has, and for cells beyond the upper
  /// ends of the cube.
  template <class Visit>
  void for_each_own(const piece& of, std::size_t rank, const Visit& visit) const {
    const point<D> at = place_of(of.depth, of.kind, rank - of.vps.first);
    const offset width = offset{1} << levels_[of.depth].log_width;
    unsigned ends = 0;
    for (std::size_t i = 0; i < D; ++i)
      if (of.depth > 0 && at[i] + 1 == width) ends |= 1U << i;
    for (unsigned beyond = ends;; beyond = (beyond - 1) & ends) {
      point<D> x;
      for (std::size_t i = 0; i < D; ++i) x[i] = of.corner[i] + at[i] + (beyond >> i & 1);
      if (all_.points.contains(x)) visit(static_cast<const point<D>&>(x));
      if (beyond == 0) break;
    }
  }
  /// Calls visit(part) for the parts of a phase whose middle is at most `reach` from x.
  template <class Visit>
  void for_each_part(const piece& of, const phase& now, const point<D>& x, offset reach,
                     const Visit& visit) const {
    const unsigned log_w = levels_[of.depth + 1].log_width;
    std::array<range, D> u{};
    for (std::size_t i = 0; i < D; ++i) {
      // w(2u − s)/2 from x − reach to x + reach
      const offset by = now.s[i] << log_w, round_up = (offset{2} << log_w) - 1;
      u[i] = intersect(now.u[i], {(2 * (x[i] - reach) + by + round_up) >> (log_w + 1),
                                  ((2 * (x[i] + reach) + by) >> (log_w + 1)) + 1});
      if (u[i].empty()) return;
    }
    tile<D> whole;
    const auto choose = [&](const auto& self, std::size_t i) -> void {
      if (i == D) {
        if (stencils::times(whole, offset{1} << log_w, all_).empty()) return;
        visit(make_part(of, now, whole));
        return;
      }
      for (offset one = u[i].first; one < u[i].last; ++one) {
        whole.in[i] = {one, now.s[i] - one};
        self(self, i + 1);
      }
    };
    choose(choose, 0);
  }

  void make_stages(offset steps);

  std::vector<level> levels_;
  std::vector<std::vector<sums<D>>> phases_;  ///< by depth and kind
  std::vector<stage> stages_;
  domain<D> all_;   ///< the grid, at an offset of n/2, and n times
  box<D> updated_;  ///< the cells that change
};

}  // namespace pleat::detail::stencils
