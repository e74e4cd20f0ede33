// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/loops.hpp>
#include <pleat/oblivious/detail/stencil/row_cells.hpp>

namespace pleat::detail::stencils {

/// Updates rows of cells by the user's kernel. The cells inside rows, nearly all cells, are
/// computed by functions compiled for each instruction set, into which everything is inlined,
/// including the user's kernel.
template <class Kernel, std::size_t D, bool Two, class... T> class row_update {
  using cells = row_cells<Kernel, D, Two, T...>;

 public:
  static constexpr std::size_t fields = sizeof...(T);
  /// Number of adjacent rows that are updated together.
  static constexpr int together = D == 1 ? 1 : 2;
  /// True if there is `update_twice`. More than one field would not fit into the registers.
  static constexpr bool twice = D == 2 && !Two && fields == 1 && fit_vectors<T...>;

  using rows = typename cells::rows;
  template <class C> using row = typename cells::template row<C>;

  row_update(const Kernel& kernel, instructions set)
      : cells_(kernel),
        one_(compiled_rows<1>::for_set(set)),
        several_(compiled_rows<together>::for_set(set)),
        twice_(compiled_pairs::for_set(set)) {}

  /// Updates the cells of `groups` groups of Rows adjacent rows, 1 or `together`. Their neighbours
  /// are at the distances of the strides.
  template <int Rows> void update(const rows& r, offset groups, range columns) const {
    (Rows == 1 ? one_ : several_)(cells_, r, groups, columns);
  }
  /// Updates `groups` consecutive pairs of rows twice: a step, `first`, of the cells `one`, and the
  /// next step of the cells `two` of the pairs one row higher, `second`. Requires: as
  /// windowed_rows::two_steps.
  void update_twice(const rows& first, const rows& second, offset groups, range one,
                    range two) const {
    twice_(cells_, first, second, groups, one, two);
  }
  /// Updates the cells of a row, whose neighbours are at the offsets `to`; with `End` also those in
  /// the row itself.
  template <bool End>
  void update_at_wall(const rows& r, const neighbours_of_cell<D, fields>& to, range columns) const {
    for (offset j = columns.first; j < columns.last; ++j)
      cells_.template update_at_wall<End>(r, to, j);
  }

 private:
  /// True if neighbours within a row are assembled from loaded vectors. Half of the loads beside a
  /// vector's cells cross a cache line if a vector has 32 bytes, all of them if it has 64.
  template <int Bytes>
  static constexpr bool in_windows = D > 1 && !Two && Bytes == 64 && fit_vectors<T...>;
  template <int Bytes>
  using windowed =
      windowed_rows<cells, D, Bytes / static_cast<offset>(std::max({sizeof(T)...})), T...>;

  template <int Rows, int Bytes>
  [[gnu::always_inline]] static void step(const cells& with, const rows& r, range columns) {
    if constexpr (in_windows<Bytes>)
      windowed<Bytes>(with).template step<Rows>(r, columns);
    else
      stencils::each_in_blocks<!Two, T...>(
          columns.first, columns.last,
          std::get<0>(r).to, [&](offset j) __attribute__((always_inline)) {
            with.template update<Rows>(r, j);
          });
  }
  template <int Rows> struct groups_of {
    template <int Bytes>
    [[gnu::always_inline]] static void run(const cells& with, rows r, offset groups,
                                           range columns) {
      for (offset group = 0; group < groups; ++group) {
        step<Rows, Bytes>(with, r, columns);
        if constexpr (D > 1) cells::template move_down<Rows>(r);
      }
    }
  };
  struct pairs_twice {
    template <int Bytes>
    [[gnu::always_inline]] static void run(const cells& with, rows first, rows second,
                                           offset groups, range one, range two) {
      if constexpr (twice) {
        for (offset group = 0; group < groups; ++group) {
          if constexpr (in_windows<Bytes>) {
            windowed<Bytes>(with).two_steps(first, second, one, two);
          } else {
            step<2, Bytes>(with, first, one);
            step<2, Bytes>(with, second, two);
          }
          cells::template move_down<2>(first);
          cells::template move_down<2>(second);
        }
      }
    }
  };
  template <int Rows>
  using compiled_rows = compiled<groups_of<Rows>, const cells&, rows, offset, range>;
  using compiled_pairs = compiled<pairs_twice, const cells&, rows, rows, offset, range, range>;

  cells cells_;
  typename compiled_rows<1>::function one_, several_;
  typename compiled_pairs::function twice_;
};

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
      update_rows<1>({}, 1, cells.sides[0], level, true);
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
        update_rows<1>(x, 1, cells.sides[last], level, false);
        continue;
      }
      count = std::min(end - y, ends_.size[i] - upper_end - x[i]);
      if (count >= together) {
        count -= count % together;
        update_rows<together>(x, count / together, cells.sides[last], level, true);
      } else {
        update_rows<1>(x, count, cells.sides[last], level, true);
      }
    }
  }

  /// Updates `groups` groups of `Rows` rows, piece by piece if they cross the end of a periodic
  /// grid.
  template <int Rows>
  void update_rows(const std::array<offset, D>& x, offset groups, range cells, unsigned level,
                   bool regular) const {
    const offset n = ends_.size[last];
    while (!cells.empty()) {
      const offset low = cells.first;
      const offset round = low < 0 ? n : low >= n ? -n : 0;
      cells.first = std::min(cells.last, low < 0 ? 0 : low >= n ? 2 * n : n);
      update_range<Rows>(x, groups, low + round, cells.first + round, level, regular);
    }
  }

  template <int Rows>
  void update_range(const std::array<offset, D>& x, offset groups, offset low, offset high,
                    unsigned level, bool regular) const {
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
