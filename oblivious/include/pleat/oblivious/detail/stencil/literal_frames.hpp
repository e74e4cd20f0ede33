// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <pleat/oblivious/detail/stencil/literal_plan.hpp>
#include <pleat/oblivious/detail/stencil/tiles.hpp>
#include <pleat/runtime/segment.hpp>

namespace pleat::detail::diamonds {

/// Which tiles a run of the stencil program meets, and which VP holds which point of them: all that
/// does not depend on values. A tile is met as part `part` of another one, which a segment
/// evaluates, or as the one part of a stage.
template <std::size_t D> class literal_frames {
 public:
  /// Where a tile is evaluated.
  struct frame {
    tile<D> whole;
    point<D> corner;    ///< of its cube
    std::size_t index;  ///< of its memory
    unsigned kind;      ///< of the tile
    bool present;       ///< or does it only perform supersteps?
  };

  /// The tiles of a phase: u_i in u[i], z_i = s_i − u_i, those that have points in the domain.
  struct generation {
    sums<D> s{};
    std::array<interval, D> u{};
    unsigned kind = 0;
  };

  explicit literal_frames(literal_plan<D> plan)
      : plan_(std::move(plan)), all_(plan_.all(plan_.side())) {}

  [[nodiscard]] const literal_plan<D>& plan() const noexcept { return plan_; }
  /// The domain: as many steps as the side.
  [[nodiscard]] const domain<D>& all() const noexcept { return all_; }

  /// The grid, where all points are at home.
  [[nodiscard]] frame grid() const noexcept { return {{}, grid_corner(), 0, 0, true}; }
  /// How many points it has.
  [[nodiscard]] std::size_t points() const noexcept {
    std::size_t product = 1;
    for (std::size_t i = 0; i < D; ++i) product *= static_cast<std::size_t>(plan_.side());
    return product;
  }
  /// Of a point in the grid, row-major.
  [[nodiscard]] std::size_t place_in_grid(const point<D>& x) const noexcept {
    std::size_t i = 0;
    for (const coordinate one : x)
      i = i * static_cast<std::size_t>(plan_.side()) +
          static_cast<std::size_t>(one - plan_.side() / 2);
    return i;
  }

  // ---------------------------------------------------------------- which tiles there are

  /// The one tile of a stage.
  [[nodiscard]] generation stage_generation(const literal_stage<D>& stage) const {
    generation result{sums_of(stage.whole), {}, 0};
    for (std::size_t i = 0; i < D; ++i)
      result.u[i] = {stage.whole.in[i].u, stage.whole.in[i].u + 1};
    result.kind = kind_of(result.s);
    return result;
  }
  /// The tiles that f is cut into and evaluates in this phase of its own.
  [[nodiscard]] generation parts_of(std::size_t depth, const frame& f, const sums<D>& phase) const {
    const coordinate k = coordinate{1} << plan_.levels()[depth].log_cuts;
    const sums<D> own = sums_of(f.whole);
    const coordinate base = k * *std::min_element(own.begin(), own.end());
    generation result;
    for (std::size_t i = 0; i < D; ++i) {
      result.s[i] = phase[i] + base;
      if (f.present) result.u[i] = parts_with_sum(f.whole.in[i], k, result.s[i]);
    }
    result.kind = kind_of(phase);
    return result;
  }

  /// The tile that sub-segment `part` evaluates below f; not present if there is none.
  [[nodiscard]] frame child(std::size_t depth, const frame& f, const generation& of,
                            std::size_t part) const {
    const literal_level& cut = plan_.levels()[depth];
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    const coordinate half = (coordinate{1} << log_w) / 2;
    frame result{{}, {}, f.index << D * cut.log_cuts | part, of.kind, true};
    for (std::size_t i = D; i-- > 0; part >>= cut.log_cuts) {
      const auto j = static_cast<coordinate>(part) & ((coordinate{1} << cut.log_cuts) - 1);
      diamond& one = result.whole.in[i];
      if (cut.log_cuts == 0) {
        one.u = of.u[i].first;
      } else {
        // Cubes begin at multiples of half a width; of two that begin in mine one is of this sum.
        const bool shifted = literal_plan<D>::shifted(depth, f.kind, i);
        const coordinate middle =
            f.corner[i] + (j << log_w) - (shifted ? half : 0) + half;  // if it begins where I do
        coordinate twice_u = ((2 * middle) >> log_w) + of.s[i];
        if (twice_u % 2 != 0) ++twice_u;  // then half a width later
        one.u = twice_u / 2;
      }
      one.z = of.s[i] - one.u;
      result.corner[i] = corner_of(one, log_w);
      result.present = result.present && of.u[i].contains(one.u);
    }
    result.present = result.present && !times(result.whole, coordinate{1} << log_w, all_).empty();
    return result;
  }

  /// visit(frame, part) for the tiles below f whose middle is at most `reach` from x.
  template <class F>
  void for_each_child(std::size_t depth, const frame& f, const generation& of, const point<D>& x,
                      coordinate reach, const F& visit) const {
    const literal_level& cut = plan_.levels()[depth];
    const unsigned log_w = plan_.levels()[depth + 1].log_width;
    std::array<interval, D> u{};
    for (std::size_t i = 0; i < D; ++i) {
      // w(2u − s)/2 from x − reach to x + reach
      const coordinate offset = of.s[i] << log_w;
      const coordinate low = 2 * (x[i] - reach) + offset, high = 2 * (x[i] + reach) + offset;
      const coordinate round_up = (coordinate{2} << log_w) - 1;
      u[i] = of.u[i] & interval{(low + round_up) >> (log_w + 1), (high >> (log_w + 1)) + 1};
      if (u[i].empty()) return;
    }
    frame result{{}, {}, 0, of.kind, true};
    const auto choose = [&](const auto& self, std::size_t i, std::size_t part) -> void {
      if (i == D) {
        if (times(result.whole, coordinate{1} << log_w, all_).empty()) return;
        result.index = f.index << D * cut.log_cuts | part;
        visit(static_cast<const frame&>(result), part);
        return;
      }
      const coordinate half = (coordinate{1} << log_w) / 2;
      const coordinate shift = literal_plan<D>::shifted(depth, f.kind, i) ? half : 0;
      for (coordinate one = u[i].first; one < u[i].last; ++one) {
        result.whole.in[i] = {one, of.s[i] - one};
        result.corner[i] = corner_of(result.whole.in[i], log_w);
        const coordinate offset = (result.corner[i] - f.corner[i] + shift) & (cut.width() - 1);
        const auto j = static_cast<std::size_t>(cut.log_cuts == 0 ? 0 : offset >> log_w);
        self(self, i + 1, part << cut.log_cuts | j);
      }
    };
    choose(choose, 0, 0);
  }

  /// How far from the middle of a tile its points lie, and those they depend on.
  [[nodiscard]] static constexpr coordinate reach_of_points(unsigned log_w) noexcept {
    return log_w == 0 ? 0 : (coordinate{1} << log_w) / 2 - 1;
  }
  [[nodiscard]] static constexpr coordinate reach_of_inputs(unsigned log_w) noexcept {
    return reach_of_points(log_w) + 1;
  }

  // ---------------------------------------------------------------- who holds what

  /// The rank that has this point of a tile's cube; one outside it is with the nearest inside.
  [[nodiscard]] std::size_t holder(const segment& seg, std::size_t depth, const frame& f,
                                   const point<D>& x) const {
    if (seg.size == 1) return seg.first;
    const literal_level& of = plan_.levels()[depth];
    std::size_t place = 0;
    for (std::size_t i = 0; i < D; ++i) {
      const coordinate at = std::clamp<coordinate>(x[i] - f.corner[i], 0, of.width() - 1);
      place = place << of.log_width | static_cast<std::size_t>(at);
    }
    return seg.first + plan_.layout(depth, f.kind).holder[place];
  }

  /// The segment of a part.
  [[nodiscard]] segment segment_of(const segment& seg, std::size_t depth, std::size_t part) const {
    const unsigned log_parts = static_cast<unsigned>(D) * plan_.levels()[depth].log_cuts;
    const std::size_t first = seg.first + (part * seg.size >> log_parts);
    const std::size_t size = std::max<std::size_t>(seg.size >> log_parts, 1);
    return {first, size, seg.label + log_parts};  // nobody syncs on one of a single VP
  }

  /// … and which parts this rank evaluates.
  [[nodiscard]] division divide(const segment& seg, std::size_t depth, std::size_t rank) const {
    return seg.divide(std::size_t{1} << D * plan_.levels()[depth].log_cuts, rank);
  }

  /// visit(x) for the points of the grid that a VP has of a tile's cube, and beyond its upper ends.
  template <class F>
  void for_each_own(const segment& seg, std::size_t rank, std::size_t depth, const frame& f,
                    const F& visit) const {
    const literal_level& of = plan_.levels()[depth];
    const bool alone = of.vps == 1 && depth > 0;
    const std::size_t each = std::size_t{1} << D * of.log_width >> std::countr_zero(of.vps);
    const std::uint32_t* const places =
        alone ? nullptr : &plan_.layout(depth, f.kind).points[(rank - seg.first) * each];
    for (std::size_t k = 0; k < each; ++k) {
      std::size_t place = alone ? k : places[k];
      point<D> at;
      unsigned ends = 0;
      for (std::size_t i = D; i-- > 0; place >>= of.log_width) {
        const coordinate offset = static_cast<coordinate>(place) & (of.width() - 1);
        at[i] = f.corner[i] + offset;
        if (depth > 0 && offset + 1 == of.width()) ends |= 1u << i;
      }
      for (unsigned beyond = ends;; beyond = (beyond - 1) & ends) {
        point<D> x = at;
        for (std::size_t i = 0; i < D; ++i) x[i] += beyond >> i & 1;
        if (all_.points.contains(x)) visit(x);
        if (beyond == 0) break;
      }
    }
  }

  /// Of a point in the memory of all tiles, for one of a tile's cube or beside it. Requires
  /// depth ≥ 1.
  [[nodiscard]] std::size_t place(std::size_t depth, const frame& f, const point<D>& x) const {
    const literal_level& of = plan_.levels()[depth];
    const coordinate stride = of.width() + 2;
    coordinate place = 0;
    for (std::size_t i = 0; i < D; ++i) place = place * stride + (x[i] - f.corner[i] + 1);
    return of.memory + f.index * literal_plan<D>::frame_cells(of) + static_cast<std::size_t>(place);
  }

  /// Is x a point of the tile, one of those at most `reach` from its middle?
  [[nodiscard]] static bool computed_in(const frame& f, unsigned log_w, coordinate reach,
                                        const point<D>& x) {
    for (std::size_t i = 0; i < D; ++i) {
      const coordinate middle = f.corner[i] + (coordinate{1} << log_w) / 2;
      if (x[i] < middle - reach || x[i] > middle + reach) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] point<D> grid_corner() const noexcept {
    point<D> corner;
    corner.fill(plan_.side() / 2);
    return corner;
  }
  /// The corner of the cube of a diamond: half its width before its middle.
  [[nodiscard]] static constexpr coordinate corner_of(const diamond& of, unsigned log_w) noexcept {
    const coordinate w = coordinate{1} << log_w;
    return (w * (of.u - of.z) - (w & ~coordinate{1})) >> 1;
  }

  literal_plan<D> plan_;
  domain<D> all_;
};

}  // namespace pleat::detail::diamonds
