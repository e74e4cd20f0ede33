// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <pleat/oblivious/detail/stencil/loops.hpp>
#include <pleat/oblivious/detail/stencil/window.hpp>

namespace pleat::detail::stencils {

/// Updates rows of cells in vectors of `Count`, whose neighbours are assembled from vectors that
/// are loaded once. `Cells` is a row_cells.
template <class Cells, std::size_t D, offset Count, class... T> class windowed_rows {
 public:
  using rows = typename Cells::rows;

  /// Least number of cells for two steps in one pass: below it, the ends of rows cost more than the
  /// pass saves.
  static constexpr offset long_enough = 24 * Count;

  [[gnu::always_inline]] explicit windowed_rows(const Cells& cells) : cells_(cells) {}

  /// Updates the cells of `Rows` adjacent rows.
  template <int Rows> [[gnu::always_inline]] void step(const rows& r, range cells) const {
    if (cells.size() < 2 * Count) return one_by_one<Rows>(r, cells);
    offset j = aligned(r, cells.first);
    if (cells.first < j) vector_at<Rows>(r, cells.first);
    windows<Rows> at;
    start<Rows>(at, r, j);
    for (; j + 2 * Count <= cells.last; j += Count) window_at<Rows, false>(r, at, j);
    if (j + Count <= cells.last) {
      window_at<Rows, true>(r, at, j);
      j += Count;
    }
    if (j < cells.last) vector_at<Rows>(r, cells.last - Count);
  }

  /// Performs a step of the cells `one` of a pair of rows, `first`, and the next step of the cells
  /// `two` of the pair one row higher, `second`, one vector behind, so that the results of the
  /// first step are still in the nearest cache. The second step writes where the first one reads,
  /// but only to cells that were already read.
  ///
  /// Requires: the pairs above have been updated; `two` reaches at most one cell beyond `one`, at
  /// its lower end.
  [[gnu::always_inline]] void two_steps(const rows& first, const rows& second, range one,
                                        range two) const {
    offset j = aligned(first, std::max(one.first, two.first));
    if (one.last - j < long_enough || two.last < one.last - 1) {
      step<2>(first, one);
      return step<2>(second, two);
    }
    windows<2> at, behind;
    if (one.first < j) vector_at<2>(first, one.first);
    start<2>(at, first, j);
    window_at<2, false>(first, at, j);
    if (two.first < j) vector_at<2>(second, two.first);
    start<2>(behind, second, j);
    for (j += Count; j + 2 * Count <= one.last; j += Count) {
      window_at<2, false>(first, at, j);
      window_at<2, false>(second, behind, j - Count);
    }
    if (j + Count <= one.last) {
      window_at<2, true>(first, at, j);
      window_at<2, false>(second, behind, j - Count);
      j += Count;
    }
    if (j < one.last) vector_at<2>(first, one.last - Count);
    if (j <= two.last) vector_at<2>(second, j - Count);
    if (j - Count < two.last) vector_at<2>(second, two.last - Count);
  }

 private:
  template <int Rows> using windows = std::tuple<window<T, D, Rows, Count>...>;
  static constexpr int widest = static_cast<int>(std::max({sizeof(T)...}));

  /// Returns the first cell from j on at which the store of a vector does not cross a cache line.
  [[gnu::always_inline]] static offset aligned(const rows& r, offset j) {
    const auto cell = reinterpret_cast<std::uintptr_t>(std::get<0>(r).to + j) / widest;
    const auto past = static_cast<offset>(cell % static_cast<std::uintptr_t>(Count));
    return past > 0 ? j + Count - past : j;
  }
  template <int Rows> [[gnu::always_inline]] void one_by_one(const rows& r, range cells) const {
    stencils::each_in_blocks<true, T...>(
        cells.first, cells.last, std::get<0>(r).to, [&](offset j) __attribute__((always_inline)) {
          cells_.template update<Rows>(r, j);
        });
  }
  /// Updates a vector of cells from j on, with neighbours loaded from memory.
  template <int Rows> [[gnu::always_inline]] void vector_at(const rows& r, offset j) const {
    stencils::each_cell<Count>(
        j, [&](offset i) __attribute__((always_inline)) { cells_.template update<Rows>(r, i); });
  }
  template <int Rows>
  [[gnu::always_inline]] static void start(windows<Rows>& at, const rows& r, offset j) {
    for_each_field([&](auto i) __attribute__((always_inline)) {
      std::get<i>(at).start(std::get<i>(r).from + j, std::get<i>(r).from_stride);
    });
  }
  /// Updates the cells from j on, which are in a window, and moves the window on.
  template <int Rows, bool Last>
  [[gnu::always_inline]] void window_at(const rows& r, windows<Rows>& at, offset j) const {
    std::tuple<neighbour_vectors<T, D, Rows, Count>...> all;
    for_each_field([&](auto i) __attribute__((always_inline)) {
      std::get<i>(at).template move<Last>(std::get<i>(r).from + j, std::get<i>(r).from_stride,
                                          std::get<i>(all));
    });
    [&]<int... Row>(std::integer_sequence<int, Row...>) __attribute__((always_inline)) {
      (stencils::each_lane<Count>([&](offset c) __attribute__((always_inline)) {
         cells_.template update_lane<Row>(r, all, j, c);
       }),
       ...);
    }
    (std::make_integer_sequence<int, Rows>{});
  }
  template <class Visit> [[gnu::always_inline]] static void for_each_field(const Visit& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (visit(std::integral_constant<std::size_t, I>{}), ...);
    }
    (std::index_sequence_for<T...>{});
  }

  const Cells& cells_;
};

}  // namespace pleat::detail::stencils
