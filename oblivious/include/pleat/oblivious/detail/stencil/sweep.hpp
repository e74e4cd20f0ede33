// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/stencil/box_update.hpp>
#include <pleat/oblivious/detail/stencil/grid_ends.hpp>
#include <pleat/oblivious/detail/stencil/lanes.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>

namespace pleat::detail::stencils {

/// Sweeps the parts of tiles: in lanes, two steps at a time, or step by step.
template <class Kernel, std::size_t D, bool Two, class... T>
class sweeper final : public any_sweeper<D> {
 public:
  sweeper(const Kernel& kernel, const std::tuple<field<T, D>...>& of,
          const std::array<boundary, D>& edges, instructions set)
      : any_sweeper<D>(untyped(of), edges, Two, in_lanes ? lane_updates::most : 0),
        ends_{edges, any_sweeper<D>::size()},
        update_(kernel, of, ends_, set),
        lanes_(kernel, set),
        fields_(of) {}

  void sweep(const zoid<D>& tile, const part_of_zoid<D>& of, unsigned first_level) const override {
    part_of_zoid<D> part = of;
    if constexpr (in_lanes) part.low[0] = sweep_in_lanes(tile, part, first_level);
    if constexpr (updates::twice)
      for (; part.first + 2 <= part.last; part.first += 2)
        two_steps(tile, part, (first_level + static_cast<unsigned>(part.first)) % 2);
    for (offset k = part.first; k < part.last; ++k) {
      const box<D> cells = stencils::section(tile, part, k);
      if (!cells.empty()) update_.step(cells, (first_level + static_cast<unsigned>(k)) % 2);
    }
  }

 private:
  using updates = box_update<Kernel, D, Two, T...>;
  using lane_updates = lane_update<Kernel, T...>;
  static constexpr bool in_lanes = D == 1 && !Two && lane_updates::possible;
  struct no_lanes {
    no_lanes(const Kernel&, instructions) {}
  };

  static std::vector<untyped_field<D>> untyped(const std::tuple<field<T, D>...>& of) {
    return std::apply(
        [](const auto&... f) { return std::vector<untyped_field<D>>{untyped_field<D>(f)...}; }, of);
  }

  /// Performs the next two steps of a part: as many pairs of rows as possible in one pass, the rows
  /// above and below them step by step. The second step of a pair is one row higher.
  void two_steps(const zoid<D>& tile, const part_of_zoid<D>& part, unsigned level) const
      requires(updates::twice) {
    const box<D> now = stencils::section(tile, part, part.first),
                 then = stencils::section(tile, part, part.first + 1);
    const range all{0, ends_.size[1]};
    range pairs{std::max(now.sides[0].first, then.sides[0].first + 1),
                std::min(now.sides[0].last, then.sides[0].last + 1)};
    if (ends_.edges[0] != boundary::fixed) pairs = intersect(pairs, {2, ends_.size[0] - 1});
    // The first rows must not need cells that the last rows have overwritten.
    const bool round = ends_.edges[0] == boundary::periodic && !tile.in[0].cut;
    if (round || !all.covers(now.sides[1]) || !all.covers(then.sides[1])) pairs.last = pairs.first;
    pairs.last -= pairs.size() % 2;
    const auto rows_of = [&](const box<D>& cells, offset from, offset to, unsigned l) {
      const box<D> some{{intersect(cells.sides[0], {from, to}), cells.sides[1]}};
      if (!some.empty()) update_.step(some, l);
    };
    if (pairs.empty()) pairs = {now.sides[0].last, now.sides[0].last};
    rows_of(now, now.sides[0].first, pairs.first, level);
    if (!pairs.empty()) {
      rows_of(then, then.sides[0].first, pairs.first - 1, 1 - level);
      update_.step_twice(pairs, now.sides[1], then.sides[1], level);
      rows_of(now, pairs.last, now.sides[0].last, level);
    }
    rows_of(then, pairs.empty() ? then.sides[0].first : pairs.last - 1, then.sides[0].last,
            1 - level);
  }

  /// Sweeps as much of the part as lanes can hold, from its lower end on. Returns the beginning of
  /// the rest.
  offset sweep_in_lanes(const zoid<D>& tile, const part_of_zoid<D>& part,
                        unsigned first_level) const requires(D == 1) {
    const offset low = part.low[0];
    const offset width = (part.high[0] - low) / lane_updates::multiple * lane_updates::multiple;
    if (width < lane_updates::least || !stencils::leaning(tile.in[0], part)) return low;
    const offset lowest = low - (part.last - 1), highest = low + width - 1 - part.first;
    const offset round = lowest >= ends_.size[0] ? -ends_.size[0] : highest < 0 ? ends_.size[0] : 0;
    if (lowest + round < 1 || highest + round > ends_.size[0] - 2) return low;
    for (offset done = 0; done < width; done += lane_updates::most) {
      const offset first = low + done;
      lanes_.update({levels(first_level % 2, round), first,
                     first + std::min(width - done, lane_updates::most), part.first, part.last});
    }
    return low + width;
  }
  /// Returns cell 0 of the levels that even and odd steps read.
  auto levels(unsigned even, offset round) const {
    return std::apply(
        [&](const auto&... f) {
          return std::tuple{
              std::array{f.level[even].data + round, f.level[1 - even].data + round}...};
        },
        fields_);
  }

  grid_ends<D> ends_;
  updates update_;
  std::conditional_t<in_lanes, lane_updates, no_lanes> lanes_;
  std::tuple<field<T, D>...> fields_;
};

}  // namespace pleat::detail::stencils
