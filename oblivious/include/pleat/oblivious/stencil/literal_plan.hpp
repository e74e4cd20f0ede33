// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/stencil/tiles.hpp>

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
/// The last depth is where a segment is one VP.
template <std::size_t D> class literal_plan {
 public:
  static constexpr unsigned kinds = (1u << D) - 1;

  /// For a grid of n = 2^log_n points in each dimension. Requires vps, a power of two, ≤ n^D.
  literal_plan(unsigned log_n, coordinate steps, std::size_t vps)
      : log_n_(log_n), points_each_((std::size_t{1} << D * log_n) / vps) {
    assert(std::has_single_bit(vps) && points_each_ >= 1);
    const auto root = static_cast<unsigned>(std::ceil(std::sqrt(static_cast<double>(log_n))));
    levels_.push_back({log_n, 0, vps, 1, 0});
    literal_level next{log_n, std::min(root, log_n), vps, 1, 0};
    while (true) {
      next.memory = memory_;
      memory_ += next.frames * frame_cells(next);
      levels_.push_back(next);
      if (next.vps == 1) break;
      next.frames <<= D * next.log_cuts;
      next.vps = std::max<std::size_t>(next.vps >> D * next.log_cuts, 1);
      next.log_width -= next.log_cuts;
      // Where w < k, every point is a tile: time step by time step.
      next.log_cuts = std::min(root, next.log_width);
    }
    for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth)
      for (unsigned kind = 0; kind < kinds; ++kind) {
        layouts_.push_back(make_layout(depth, kind));
        phases_.push_back(depth == 0 ? std::vector<sums<D>>{} : phases_of_kind(depth, kind));
      }
    make_stages(steps);
  }

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
  [[nodiscard]] std::uint32_t holder(std::size_t depth, unsigned kind, point<D> at) const {
    std::size_t rank = 0;
    std::size_t vps = levels_[depth].vps;
    for (; vps > 1; ++depth) {
      const literal_level& cut = levels_[depth];
      const unsigned log_part = cut.log_width - cut.log_cuts;
      std::size_t part = 0;
      for (std::size_t i = 0; i < D; ++i) {
        if (shifted(depth, kind, i))
          at[i] = (at[i] + (coordinate{1} << log_part) / 2) & (cut.width() - 1);
        part = part << cut.log_cuts | static_cast<std::size_t>(at[i] >> log_part);
        at[i] &= (coordinate{1} << log_part) - 1;
      }
      const unsigned log_parts = D * cut.log_cuts;
      rank += part * vps >> log_parts;
      vps = std::max<std::size_t>(vps >> log_parts, 1);
      if (vps == 1) break;
    }
    return static_cast<std::uint32_t>(rank);
  }

  [[nodiscard]] literal_layout make_layout(std::size_t depth, unsigned kind) const {
    const literal_level& of = levels_[depth];
    const std::size_t count = std::size_t{1} << D * of.log_width;
    literal_layout result{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
    std::vector<std::size_t> next(of.vps);
    for (std::size_t rank = 0; rank < of.vps; ++rank) next[rank] = rank * (count / of.vps);
    for (std::size_t i = 0; i < count; ++i) {
      point<D> at{};
      for (std::size_t j = D, rest = i; j-- > 0; rest >>= of.log_width)
        at[j] = static_cast<coordinate>(rest) & (of.width() - 1);
      result.holder[i] = holder(depth, kind, at);
      result.points[next[result.holder[i]]++] = static_cast<std::uint32_t>(i);
    }
    return result;
  }

  /// f(sums, as given) for the phases of a tile whose least sum is 0; single points have even sums.
  template <class F> void for_each_part(std::size_t depth, unsigned kind, const F& f) const {
    const literal_level& of = levels_[depth];
    const coordinate k = coordinate{1} << of.log_cuts;
    std::array<interval, D> bounds{};
    for (std::size_t i = 0; i < D; ++i) bounds[i] = sums_of_parts(kind >> i & 1, k);
    for_each_phase<D>(bounds, [&](const sums<D>& s) {
      interval when = times(s[0], of.width() / k);
      for (const coordinate one : s) when = when & times(one, of.width() / k);
      if (!when.empty()) f(s);
    });
  }
  [[nodiscard]] std::vector<sums<D>> phases_of_kind(std::size_t depth, unsigned kind) const {
    std::vector<sums<D>> result;
    for_each_part(depth, kind, [&](const sums<D>& s) { result.push_back(s); });
    return result;
  }

  void make_stages(coordinate steps) {
    const domain<D> in = all(steps);
    const coordinate n = side();
    for_each_phase<D>(sums_in(in, n), [&](const sums<D>& s) {
      for_each_tile(s, in, n, [&](const tile<D>& one) { stages_.push_back({one, {}}); });
    });
    if (levels_[1].vps == 1) return;
    const coordinate k = coordinate{1} << levels_[1].log_cuts;
    for (literal_stage<D>& stage : stages_) {
      const sums<D> own = sums_of(stage.whole);
      const coordinate base = k * *std::min_element(own.begin(), own.end());
      for_each_part(1, kind_of(own), [&](const sums<D>& s) {
        bool any = false;
        sums<D> at = s;
        for (coordinate& one : at) one += base;
        for_each_tile(at, in, n / k, [&](const tile<D>& part) {
          bool inside = true;
          for (std::size_t i = 0; i < D; ++i)
            inside = inside && whole_of(part.in[i], k) == stage.whole.in[i];
          any = any || inside;
        });
        if (any) stage.phases.push_back(s);
      });
      // What a phase computes goes home at the beginning of the next, or was at home in the last.
      const sums<D>& last = phases(1, kind_of(own)).back();
      bool at_home = kind_of(last) == kind_of(stage.phases.back());
      for (std::size_t i = 0; i < D; ++i)
        at_home = at_home && (last[i] - stage.phases.back()[i]) % 2 == 0;
      if (!at_home) stage.phases.push_back(last);
    }
  }

  unsigned log_n_;
  std::size_t points_each_;
  std::size_t memory_ = 0;
  std::vector<literal_level> levels_;
  std::vector<literal_layout> layouts_;
  std::vector<std::vector<sums<D>>> phases_;
  std::vector<literal_stage<D>> stages_;
};

}  // namespace pleat::detail::diamonds
