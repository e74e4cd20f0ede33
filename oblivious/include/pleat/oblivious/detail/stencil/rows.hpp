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

/// Updates rows of cells by the user's kernel. The cells inside rows, that is, nearly all of them,
/// are computed by functions into which everything is inlined, the user's kernel too, compiled for
/// each instruction set.
template <class Kernel, std::size_t D, bool Two, class... T> class row_update {
  using cells = row_cells<Kernel, D, Two, T...>;

 public:
  static constexpr std::size_t fields = sizeof...(T);
  /// Rows that are updated together, where they lie next to each other.
  static constexpr int together = D == 1 ? 1 : 2;
  /// True if there is `update_twice`. More fields than one would not fit into the registers.
  static constexpr bool twice = D == 2 && !Two && fields == 1 && fit_vectors<T...>;

  using rows = typename cells::rows;
  template <class C> using row = typename cells::template row<C>;

  row_update(const Kernel& kernel, instructions set)
      : cells_(kernel),
        one_(compiled_rows<1>::for_set(set)),
        several_(compiled_rows<together>::for_set(set)),
        twice_(compiled_pairs::for_set(set)) {}

  /// Updates the cells of `groups` of Rows rows, 1 or `together`, that lie next to each other.
  /// Their neighbours lie where strides say.
  template <int Rows> void update(const rows& r, offset groups, range columns) const {
    (Rows == 1 ? one_ : several_)(cells_, r, groups, columns);
  }
  /// Updates `groups` of pairs of rows that follow each other twice: a step, `first`, of the cells
  /// `one`, and the next step of the cells `two` of the pairs a row higher, `second`. Requires:
  /// what windowed_rows::two_steps does.
  void update_twice(const rows& first, const rows& second, offset groups, range one,
                    range two) const {
    twice_(cells_, first, second, groups, one, two);
  }
  /// Updates the cells of a row, whose neighbours lie elsewhere; with `End` also those in the row
  /// itself.
  template <bool End>
  void update_at_wall(const rows& r, const neighbours_of_cell<D, fields>& to, range columns) const {
    for (offset j = columns.first; j < columns.last; ++j)
      cells_.template update_at_wall<End>(r, to, j);
  }

 private:
  /// Neighbours within a row are put together of vectors that are loaded. Half of the loads beside
  /// a vector's cells cross a cache line if it has 32 bytes, all of them if it has 64.
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
      each_in_blocks<!Two, T...>(
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
