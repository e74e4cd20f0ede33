// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include <pleat/oblivious/detail/stencil/instructions.hpp>
#include <pleat/oblivious/detail/stencil/loops.hpp>
#include <pleat/oblivious/detail/stencil/row_cells.hpp>
#include <pleat/oblivious/detail/stencil/vectors.hpp>
#include <pleat/oblivious/detail/stencil/windowed_rows.hpp>

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

}  // namespace pleat::detail::stencils
