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

namespace pleat::detail::stencils {

/// Argument of a kernel for a field whose rows are in lanes.
template <class C> struct lane_cell {
  const C *below, *at, *above;
  [[gnu::always_inline]] const C& operator()(int dx) const {
    return dx < 0 ? *below : dx > 0 ? *above : *at;
  }
};

/// A vector of each field, with a cell for each lane.
template <offset Count, class... C> struct lane_row {};
template <offset Count, class C, class... Others> struct lane_row<Count, C, Others...> {
  using cell = C;
  vector<C, Count> cells;
  [[no_unique_address]] lane_row<Count, Others...> others;
};

/// The row without its first I fields.
template <std::size_t I, class Row> [[gnu::always_inline]] inline auto& from_field(Row& row) {
  if constexpr (I == 0)
    return row;
  else
    return stencils::from_field<I - 1>(row.others);
}
/// The vector of field I, and the cell in one of its lanes.
template <std::size_t I, class Row> [[gnu::always_inline]] inline auto& cells(Row& row) {
  return stencils::from_field<I>(row).cells;
}
template <std::size_t I, class Row> [[gnu::always_inline]] inline auto* lane(Row& row, offset c) {
  using C = typename std::remove_cvref_t<decltype(from_field<I>(row))>::cell;
  using cell = std::conditional_t<std::is_const_v<Row>, const C, C>;
  return reinterpret_cast<cell*>(&stencils::cells<I>(row)) + c;
}

/// Part of a parallelogram of one dimension, for some steps: at step k the cells [low − k, high −
/// k).
template <class... T> struct leaning_part {
  std::tuple<std::array<T*, 2>...> level;  ///< cell 0 of each field; step k reads level k mod 2
  offset low, high;
  offset first, last;  ///< the steps [first, last)
};

/// Updates such parts in vectors whose cells are far from each other, so that neither neighbours
/// nor cells at the edges of a vector have to be loaded: W lanes of L cells each, where lane c has
/// the cells from c·L on, counted from the left edge.
///
///     cells      0 … L−1 │ L … 2L−1 │ …           row r: the cells r, L + r, 2L + r, …
///     lane          0          1      …           their neighbours are rows r − 1 and r + 1
///
/// Rows are indexed by y = x + k, in which a part is upright: step k computes the new row r from
/// the rows r − 2, r − 1 and r. So there is one copy of the cells, in a buffer in the nearest
/// cache, and rows are replaced from the last to the first. The values of two steps, three rows
/// each, are in registers: a row is loaded once and stored once for two steps. At the ends of lanes
/// a row's neighbour is the last row of the previous lanes, moved by a lane. Lane 0 takes its
/// neighbours from the part to the left, whose last two values of each cell are in the grids; the
/// last lane stores there the values that the part to the right will need.
///
/// Source: Henretty, Stock, Pouchet, Franchetti, Ramanujam, Sadayappan, Data Layout Transformation
/// for Stencil Computations on Short-Vector SIMD Architectures, 2011 (the lanes); Wonnacott, Time
/// Skewing for Parallel Computers, 1999.
template <class Kernel, class... T> class lane_update {
  static constexpr std::size_t fields = sizeof...(T);
  static constexpr std::size_t widest = std::max({sizeof(T)...});

 public:
  static constexpr bool possible = fit_vectors<T...>;
  /// Divisor of the width of a part, which is at least `least` and at most `most`.
  static constexpr offset multiple = possible ? 64 / widest : 1;
  static constexpr offset least = 16 * multiple;
  static constexpr offset most = ((std::size_t{16} << 10) / (sizeof(T) + ...)) / least * least;

  lane_update(const Kernel& kernel, instructions set)
      : kernel_(kernel),
        run_(compiled<body, const Kernel&, const leaning_part<T...>&>::for_set(set)) {}

  /// Requires that no cell of the part, nor a neighbour, is at a wall or beyond.
  void update(const leaning_part<T...>& part) const { run_(kernel_, part); }

 private:
  struct body {
    template <int Bytes>
    [[gnu::always_inline]] static void run(const Kernel& kernel, const leaning_part<T...>& part) {
      if constexpr (possible) sheared<Bytes>(kernel, part).run();
    }
  };

  template <int Bytes> class sheared {
   public:
    static constexpr offset count = Bytes / static_cast<int>(widest);
    using row = lane_row<count, T...>;

    [[gnu::always_inline]] sheared(const Kernel& kernel, const leaning_part<T...>& part)
        : kernel_(kernel), part_(part), length_((part.high - part.low) / count) {}

    [[gnu::always_inline]] void run() {
      row rows[static_cast<std::size_t>(most / count)];
      row* const v = rows;
      load(v);
      offset k = part_.first;
      for (; k + 2 <= part_.last; k += 2) two_steps(v, k);
      if (k < part_.last) one_step(v, k);
      store(v);
    }

   private:
    /// The last two input rows of a step.
    struct window {
      row above, at;
    };

    /// Computes the next step's row from the rows below, at and above; then moves on to the next
    /// row.
    [[gnu::always_inline]] void next(window& w, const row& below, row& out) const {
      next(w, below, out, std::index_sequence_for<T...>{});
      copy(w.at, w.above);
      copy(below, w.at);
    }
    template <std::size_t... I>
    [[gnu::always_inline]] void next(const window& w, const row& below, row& out,
                                     std::index_sequence<I...>) const {
      stencils::each_lane<count>([&](offset c) __attribute__((always_inline)) {
        const auto& value =
            kernel_(lane_cell<T>{stencils::lane<I>(below, c), stencils::lane<I>(w.at, c),
                                 stencils::lane<I>(w.above, c)}...);
        if constexpr (fields == 1)
          ((*stencils::lane<I>(out, c) = static_cast<T>(value)), ...);
        else
          ((*stencils::lane<I>(out, c) = static_cast<T>(std::get<I>(value))), ...);
      });
    }

    [[gnu::always_inline]] void one_step(row* v, offset k) const {
      const offset n = length_;
      row top, second;
      window w;
      copy(v[n - 1], top);
      copy(v[n - 2], second);
      copy(top, w.above);
      copy(second, w.at);
      for (offset r = n - 3; r >= 0; --r) next(w, v[r], v[r + 2]);
      row before, one_before;
      row_before(top, k, part_.low - k, before);
      row_before(second, k, part_.low - k - 1, one_before);
      next(w, before, v[1]);
      next(w, one_before, v[0]);
      leave(top, second, k);
    }

    [[gnu::always_inline]] void two_steps(row* v, offset k) const {
      const offset n = length_;
      row top, second;
      window w;
      copy(v[n - 1], top);
      copy(v[n - 2], second);
      copy(top, w.above);
      copy(second, w.at);
      row top1, second1, between;
      next(w, v[n - 3], top1);
      next(w, v[n - 4], second1);
      window w1;
      copy(top1, w1.above);
      copy(second1, w1.at);
      for (offset r = n - 5; r >= 0; --r) {
        next(w, v[r], between);
        next(w1, between, v[r + 4]);
      }
      row beyond_end;
      row_before(top, k, part_.low - k, beyond_end);
      next(w, beyond_end, between);
      next(w1, between, v[3]);
      row_before(second, k, part_.low - k - 1, beyond_end);
      next(w, beyond_end, between);
      next(w1, between, v[2]);
      row_before(top1, k + 1, part_.low - k - 1, beyond_end);
      next(w1, beyond_end, v[1]);
      row_before(second1, k + 1, part_.low - k - 2, beyond_end);
      next(w1, beyond_end, v[0]);
      leave(top, second, k);
      leave(top1, second1, k + 1);
    }

    /// Copies vector by vector: rows copied as a whole do not stay in registers.
    [[gnu::always_inline]] static void copy(const row& from, row& to) {
      stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
        stencils::cells<i>(to) = stencils::cells<i>(from);
      });
    }
    template <std::size_t I> [[gnu::always_inline]] auto* cell(offset k, offset x) const {
      return std::get<I>(part_.level)[static_cast<std::size_t>(k) % 2] + x;
    }

    /// Makes the row before the first, at step k: each lane gets the cell of the previous lane in
    /// `last`, and lane 0 gets cell x of the grid.
    [[gnu::always_inline]] void row_before(const row& last, offset k, offset x, row& out) const {
      stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
        *stencils::lane<i>(out, 0) = *cell<i>(k, x);
        for (offset c = 1; c < count; ++c)
          *stencils::lane<i>(out, c) = *stencils::lane<i>(last, c - 1);
      });
    }
    /// Stores the last two cells of step k in the grid.
    [[gnu::always_inline]] void leave(const row& top, const row& second, offset k) const {
      if (k == part_.first) return;  // they are there already
      stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
        *cell<i>(k, part_.high - k) = *stencils::lane<i>(top, count - 1);
        *cell<i>(k, part_.high - k - 1) = *stencils::lane<i>(second, count - 1);
      });
    }
    [[gnu::always_inline]] void load(row* v) const {
      stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
        const auto* from = cell<i>(part_.first, part_.low + 1 - part_.first);
        for (offset r = 0; r < length_; ++r)
          for (offset c = 0; c < count; ++c) *stencils::lane<i>(v[r], c) = from[c * length_ + r];
      });
    }
    [[gnu::always_inline]] void store(const row* v) const {
      stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
        auto* to = cell<i>(part_.last, part_.low + 1 - part_.last);
        for (offset r = 0; r < length_; ++r)
          for (offset c = 0; c < count; ++c) to[c * length_ + r] = *stencils::lane<i>(v[r], c);
      });
    }

    const Kernel& kernel_;
    const leaning_part<T...>& part_;
    offset length_;
  };

  const Kernel& kernel_;
  void (*run_)(const Kernel&, const leaning_part<T...>&);
};

}  // namespace pleat::detail::stencils
