// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/stencil/tiles.hpp>

// How the literal stencil program divides the work, its data and its memory: pure functions of the
// side of the grid, the number of steps, and the number of VPs.
namespace pleat::detail::diamonds {

/// The dimensions that are one ahead of the others, as bits: what distinguishes an octahedron
/// (none) from the tetrahedra.
template <std::size_t D> constexpr unsigned kind_of(const sums<D>& s) noexcept {
  unsigned kind = 0;
  for (std::size_t i = 0; i < D; ++i)
    if (s[i] > *std::min_element(s.begin(), s.end())) kind |= 1u << i;
  return kind;
}

/// Tiles of one width, of which every segment of `vps` VPs has one at a time, and how they are cut
/// into those of the next depth. Widths, VPs and cuts are powers of two.
struct literal_level {
  unsigned log_width = 0;
  unsigned log_cuts = 0;   ///< log2 k: the next width is 1/k of this one
  std::size_t vps = 1;     ///< of a segment
  std::size_t frames = 1;  ///< in how many places there can be a tile at a time
  std::size_t memory = 0;  ///< where their cells begin, in cells
  [[nodiscard]] constexpr coordinate width() const noexcept { return coordinate{1} << log_width; }
};

/// Which VP of a segment holds which points of a tile's cube, the w^d points from w/2 before its
/// middle on, row-major.
struct literal_layout {
  std::vector<std::uint32_t> holder;  ///< by point
  std::vector<std::uint32_t> points;  ///< by holder, equally many each
};

/// A tile evaluated by the whole machine.
template <std::size_t D> struct literal_stage {
  tile<D> whole;
  /// The phases it is cut into, those without points left out: the sums of each, less k times the
  /// least of the tile's own.
  std::vector<sums<D>> phases;
};

/// Depth 0 is the grid itself, which is not cut; from depth 1 on there are tiles of width n, n/k, …
/// The last depth is where a segment is one VP. Compiled with the library, for grids of 1 to 3
/// dimensions.
template <std::size_t D> class literal_plan {
 public:
  static constexpr unsigned kinds = (1u << D) - 1;

  /// For a grid of n = 2^log_n points in each dimension. Requires vps, a power of two, ≤ n^D.
  literal_plan(unsigned log_n, coordinate steps, std::size_t vps);

  [[nodiscard]] coordinate side() const noexcept { return coordinate{1} << log_n_; }
  [[nodiscard]] std::size_t points_each() const noexcept { return points_each_; }
  [[nodiscard]] const std::vector<literal_level>& levels() const noexcept { return levels_; }
  /// In cells, for all tiles.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  /// Cells of a tile's cube and one more all around.
  [[nodiscard]] static constexpr std::size_t frame_cells(const literal_level& of) noexcept {
    std::size_t cells = 1;
    for (std::size_t i = 0; i < D; ++i) cells *= (std::size_t{1} << of.log_width) + 2;
    return cells;
  }
  /// Requires a depth above the last.
  [[nodiscard]] const literal_layout& layout(std::size_t depth, unsigned kind) const {
    return layouts_[depth * kinds + kind];
  }
  /// Of a tile of this kind: the sums of each, less k times the least of the tile's own. Requires
  /// 1 ≤ depth, above the last.
  [[nodiscard]] const std::vector<sums<D>>& phases(std::size_t depth, unsigned kind) const {
    return phases_[depth * kinds + kind];
  }
  [[nodiscard]] const std::vector<literal_stage<D>>& stages() const noexcept { return stages_; }

  /// All that is computed. The grid lies n/2 off the origin: so a full tile of width n stands in
  /// its middle, and five cover it (17 for d = 2).
  [[nodiscard]] domain<D> all(coordinate steps) const noexcept {
    domain<D> result;
    result.points.sides.fill({side() / 2, side() / 2 + side()});
    result.times = {0, std::min(steps, side())};
    return result;
  }

  /// Is a tile's cube dealt out to the sub-segments half a sub-cube off, in this dimension? The
  /// last phase of a tile ends in sub-cubes that are: so its results are where they belong.
  [[nodiscard]] static constexpr bool shifted(std::size_t depth, unsigned kind, std::size_t i) {
    return depth > 0 && (kind >> i & 1) == 0;
  }

 private:
  [[nodiscard]] std::uint32_t holder(std::size_t depth, unsigned kind, point<D> at) const;
  [[nodiscard]] literal_layout make_layout(std::size_t depth, unsigned kind) const;
  /// f(sums, as given) for the phases of a tile whose least sum is 0; single points have even sums.
  template <class F> void for_each_part(std::size_t depth, unsigned kind, const F& f) const;
  [[nodiscard]] std::vector<sums<D>> phases_of_kind(std::size_t depth, unsigned kind) const;
  void make_stages(coordinate steps);

  unsigned log_n_;
  std::size_t points_each_;
  std::size_t memory_ = 0;
  std::vector<literal_level> levels_;
  std::vector<literal_layout> layouts_;
  std::vector<std::vector<sums<D>>> phases_;
  std::vector<literal_stage<D>> stages_;
};

}  // namespace pleat::detail::diamonds
