// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/grid_ends.hpp>
#include <pleat/oblivious/detail/stencil/rows.hpp>

namespace pleat::detail::stencils {

/// Performs steps of boxes of cells: finds their rows, and the neighbours of cells at the ends of
/// the grid.
template <class Kernel, std::size_t D, bool Two, class... T> class box_update {
  using row_updates = row_update<Kernel, D, Two, T...>;
  using rows = typename row_updates::rows;
  using indices = std::index_sequence_for<T...>;
  static constexpr int together = row_updates::together;
  static constexpr std::size_t last = D - 1;

 public:
  /// True if there is `step_twice`.
  static constexpr bool twice = row_updates::twice;

  box_update(const Kernel& kernel, const std::tuple<field<T, D>...>& of, const grid_ends<D>& ends,
             instructions set)
      : update_(kernel, set), fields_(of), ends_(ends) {}

  /// Performs one step of a box, which reads level `level`.
  void step(const box<D>& cells, unsigned level) const {
    if constexpr (D == 1) {
      pieces<1>({}, 1, cells.sides[0], level, true);
    } else if constexpr (D == 2) {
      plane({}, cells, level);
    } else {
      for (offset x = cells.sides[0].first; x < cells.sides[0].last; ++x)
        plane({ends_.inside(0, x), 0, 0}, cells, level);
    }
  }

  /// Performs two steps of pairs of rows; before them the first step of the cells at the ends of
  /// rows, after them the second one.
  void step_twice(range pairs, range one, range two, unsigned level) const requires(twice) {
    const auto inner = [&](range columns) {
      return ends_.edges[1] == boundary::fixed ? columns
                                               : intersect(columns, {1, ends_.size[1] - 1});
    };
    const auto ends = [&](range of, range columns, unsigned l) {
      for (offset x = of.first; x < of.last; ++x)
        for (const offset end : {offset{0}, ends_.size[1] - 1})
          if (columns.contains(end) && ends_.at(1, end)) end_cell({x, 0}, 0, end, l);
    };
    ends(pairs, one, level);
    update_.update_twice(rows_at({pairs.first, 0}, level), rows_at({pairs.first - 1, 0}, 1 - level),
                         pairs.size() / 2, inner(one), inner(two));
    ends({pairs.first - 1, pairs.last - 1}, two, 1 - level);
  }

 private:
  rows rows_at(const std::array<offset, D>& x, unsigned level) const {
    const auto one = [&](const auto& f) {
      const auto& from = f.level[level];
      const auto& to = f.level[1 - level];
      typename row_updates::template row<typename std::remove_cvref_t<decltype(f)>::cell> r{
          from.data, to.data, {}, {}};
      for (std::size_t i = 0; i < D; ++i) {
        r.from_stride[i] = static_cast<offset>(from.stride[i]);
        r.to_stride[i] = static_cast<offset>(to.stride[i]);
        r.from += x[i] * r.from_stride[i];
        r.to += x[i] * r.to_stride[i];
      }
      return r;
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return rows{one(std::get<I>(fields_))...};
    }
    (indices{});
  }

  /// Updates the rows of a plane; `x` has the indices of the earlier dimensions.
  void plane(std::array<offset, D> x, const box<D>& cells, unsigned level) const {
    constexpr std::size_t i = D - 2;
    const bool at_end = D == 3 && ends_.at(0, x[0]);
    const offset upper_end = ends_.edges[i] == boundary::fixed ? 0 : 1;  // at the upper end
    const offset end = cells.sides[i].last;
    for (offset y = cells.sides[i].first, count = 1; y < end; y += count) {
      x[i] = ends_.inside(i, y);
      count = 1;
      if (at_end || ends_.at(i, x[i])) {
        pieces<1>(x, 1, cells.sides[last], level, false);
        continue;
      }
      count = std::min(end - y, ends_.size[i] - upper_end - x[i]);
      if (count >= together) {
        count -= count % together;
        pieces<together>(x, count / together, cells.sides[last], level, true);
      } else {
        pieces<1>(x, count, cells.sides[last], level, true);
      }
    }
  }

  /// Updates `groups` groups of `Rows` rows, piece by piece if they cross the end of a periodic
  /// grid.
  template <int Rows>
  void pieces(const std::array<offset, D>& x, offset groups, range cells, unsigned level,
              bool regular) const {
    const offset n = ends_.size[last];
    while (!cells.empty()) {
      const offset low = cells.first;
      const offset round = low < 0 ? n : low >= n ? -n : 0;
      cells.first = std::min(cells.last, low < 0 ? 0 : low >= n ? 2 * n : n);
      piece<Rows>(x, groups, low + round, cells.first + round, level, regular);
    }
  }

  template <int Rows>
  void piece(const std::array<offset, D>& x, offset groups, offset low, offset high, unsigned level,
             bool regular) const {
    const rows r = rows_at(x, level);
    offset first = low, end = high;
    if (ends_.edges[last] != boundary::fixed) {
      if (low == 0) {
        for (offset i = 0; i < Rows * groups; ++i) end_cell(x, i, 0, level);
        first = 1;
      }
      if (high == ends_.size[last] && high - 1 >= first) {
        end = high - 1;
        for (offset i = 0; i < Rows * groups; ++i) end_cell(x, i, end, level);
      }
    }
    if (first >= end) return;
    if (regular)
      update_.template update<Rows>(r, groups, {first, end});
    else
      update_.template update_at_wall<false>(r, ways(x, r), {first, end});
  }

  /// Updates the first or last cell of the row that is `below` rows further.
  void end_cell(std::array<offset, D> x, offset below, offset j, unsigned level) const {
    if constexpr (D > 1) x[D - 2] += below;
    x[last] = j;
    const rows r = rows_at(x, level);
    update_.template update_at_wall<true>(r, ways(x, r), {0, 1});
  }

  /// Offsets of the neighbours of cell x, in every field.
  neighbours_of_cell<D, sizeof...(T)> ways(const std::array<offset, D>& x, const rows& r) const {
    return std::apply(
        [&](const auto&... of) {
          neighbours_of_cell<D, sizeof...(T)> all;
          std::size_t field = 0;
          const auto add = [&](const std::array<offset, D>& stride) {
            for (std::size_t i = 0; i < D; ++i) all[field][i] = ends_.ways(i, x[i], stride[i]);
            ++field;
          };
          (add(of.from_stride), ...);
          return all;
        },
        r);
  }

  row_updates update_;
  std::tuple<field<T, D>...> fields_;
  grid_ends<D> ends_;
};

}  // namespace pleat::detail::stencils
