// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/vectors.hpp>

namespace pleat::detail::stencils {

/// Neighbours of `Count` cells in each of `Rows` adjacent rows of one field, as vectors:
/// [plane][row][below, at, above].
template <class C, std::size_t D, int Rows, offset Count> struct neighbour_vectors {
  static constexpr int planes = D == 3 ? 3 : 1;
  static constexpr int rows = Rows + 2;
  vector<C, Count> of[static_cast<std::size_t>(planes)][static_cast<std::size_t>(rows)][3];
};

/// Argument of a kernel: the cell in one lane and row.
template <class C, std::size_t D, int Row, class Neighbours> struct window_cell {
  const Neighbours* all;
  offset lane;

  [[gnu::always_inline]] const C& operator()(int dx, int dy) const requires(D == 2) {
    return at(0, dx, dy);
  }
  [[gnu::always_inline]] const C& operator()(int dx, int dy, int dz) const requires(D == 3) {
    return at(dx + 1, dy, dz);
  }

 private:
  [[gnu::always_inline]] const C& at(int plane, int row, int d) const {
    return reinterpret_cast<const C*>(&all->of[plane][Row + 1 + row][1 + d])[lane];
  }
};

/// Moves along rows and holds the neighbours of the current cells. The cells of a row are loaded
/// once; the neighbours of a vector's cells are assembled from two vectors, because loading them
/// would cross a cache line every time.
template <class C, std::size_t D, int Rows, offset Count> class window {
 public:
  using neighbours = neighbour_vectors<C, D, Rows, Count>;

  /// Starts at the cells from `first` on, which are in the first row; rows and planes lie `stride`
  /// apart.
  [[gnu::always_inline]] void start(const C* first, const std::array<offset, D>& stride) {
    for_each_row([&](auto i) __attribute__((always_inline)) {
      const C* const at = row<i>(first, stride);
      before_[i] = cells{} + at[-1];
      load(at, at_[i]);
    });
  }
  /// Returns the neighbours of the current cells, and moves on to the next cells. With `Last` it
  /// does not move on, and reads only one of the cells after the current ones.
  template <bool Last>
  [[gnu::always_inline]] void move(const C* first, const std::array<offset, D>& stride,
                                   neighbours& all) {
    for_each_row([&](auto i) __attribute__((always_inline)) {
      const C* const at = row<i>(first, stride);
      cells after;
      if constexpr (Last)
        after = cells{} + at[Count];
      else
        load(at + Count, after);
      auto& mine = all.of[i / neighbours::rows][i % neighbours::rows];
      shift<Count - 1>(before_[i], at_[i], mine[0], lanes{});
      mine[1] = at_[i];
      shift<1>(at_[i], after, mine[2], lanes{});
      before_[i] = at_[i];
      at_[i] = after;
    });
  }

 private:
  using cells = vector<C, Count>;
  using lanes = std::make_integer_sequence<offset, Count>;
  static constexpr int all_rows = neighbours::planes * neighbours::rows;

  [[gnu::always_inline]] static void load(const C* at, cells& to) {
    std::memcpy(&to, at, sizeof(cells));
  }
  /// Returns a vector of cells of two vectors, from cell `First` of the first one on.
  template <offset First, offset... Lane>
  [[gnu::always_inline]] static void shift([[maybe_unused]] const cells& a,
                                           [[maybe_unused]] const cells& b,
                                           [[maybe_unused]] cells& to,
                                           std::integer_sequence<offset, Lane...>) {
#if defined(__GNUC__) && !defined(__clang__)
    using index = std::conditional_t<
        sizeof(C) == 8, std::int64_t,
        std::conditional_t<sizeof(C) == 4, std::int32_t,
                           std::conditional_t<sizeof(C) == 2, std::int16_t, std::int8_t>>>;
    to = __builtin_shuffle(a, b, vector<index, Count>{static_cast<index>(First + Lane)...});
#endif
  }
  /// Returns row I, counted over all planes.
  template <int I>
  [[gnu::always_inline]] static const C* row(const C* first, const std::array<offset, D>& stride) {
    offset to = (I % neighbours::rows - 1) * stride[D - 2];
    if constexpr (D == 3) to += (I / neighbours::rows - 1) * stride[0];
    return first + to;
  }
  template <class Visit> [[gnu::always_inline]] static void for_each_row(const Visit& visit) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (visit(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, all_rows>{});
  }

  cells before_[static_cast<std::size_t>(all_rows)]{}, at_[static_cast<std::size_t>(all_rows)]{};
};

}  // namespace pleat::detail::stencils
