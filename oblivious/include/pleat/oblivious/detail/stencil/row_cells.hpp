// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/loops.hpp>

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

#if defined(__clang__) && __has_cpp_attribute(clang::always_inline)
#define PLEAT_INLINE_CALL [[clang::always_inline]]
#else
#define PLEAT_INLINE_CALL
#endif

namespace pleat::detail::stencils {

/// Offsets of the neighbours of a cell, in every field and dimension.
template <std::size_t D, std::size_t Fields>
using neighbours_of_cell = std::array<std::array<neighbours, D>, Fields>;

/// Updates cells of rows by the user's kernel, one of each row: with neighbours from memory, from
/// vectors, or at a wall.
template <class Kernel, std::size_t D, bool Two, class... T> class row_cells {
 public:
  static constexpr std::size_t fields = sizeof...(T);

  /// One row of a field: the cells before and after a step, and where neighbouring rows are.
  template <class C> struct row {
    const C* from;
    C* to;
    std::array<offset, D> from_stride;
    std::array<offset, D> to_stride;
  };
  using rows = std::tuple<row<T>...>;

  explicit row_cells(const Kernel& kernel) : kernel_(kernel) {}

  /// Updates cell j of `Rows` adjacent rows. All values are computed before the first is stored, so
  /// common neighbours are loaded once.
  template <int Rows> [[gnu::always_inline]] void update(const rows& r, offset j) const {
    [&]<int... Row>(std::integer_sequence<int, Row...>) __attribute__((always_inline)) {
      const std::tuple<std::remove_cvref_t<decltype(value<Row>(r, j))>...> values{
          value<Row>(r, j)...};
      (store<Row>(r, j, std::get<static_cast<std::size_t>(Row)>(values)), ...);
    }
    (std::make_integer_sequence<int, Rows>{});
  }

  /// Updates cell j + lane of a row, whose neighbours are in vectors: a tuple with those of each
  /// field.
  template <int Row, class Neighbours>
  [[gnu::always_inline]] void update_lane(const rows& r, const Neighbours& all, offset j,
                                          offset lane) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      store<Row>(r, j + lane,
                 kernel_(window_cell<T, D, Row, std::tuple_element_t<I, Neighbours>>{
                     &std::get<I>(all), lane}...));
    }
    (indices{});
  }

  /// Updates cell j of a row, whose neighbours are at the offsets `to`; with `End` also those in
  /// the row itself.
  template <bool End>
  void update_at_wall(const rows& r, const neighbours_of_cell<D, fields>& to, offset j) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      store<0>(r, j,
               kernel_(wall_cell<T, D, Two, End>{std::get<I>(r).from + j, std::get<I>(r).to + j,
                                                 to[I]}...));
    }
    (indices{});
  }

  /// Moves on by `Rows` rows.
  template <int Rows> [[gnu::always_inline]] static void move_down(rows& r) {
    std::apply(
        [](auto&... one) __attribute__((always_inline)) {
          ((one.from += Rows * one.from_stride[D - 2], one.to += Rows * one.to_stride[D - 2]), ...);
        },
        r);
  }

 private:
  using indices = std::index_sequence_for<T...>;

  template <int Row> [[gnu::always_inline]] decltype(auto) value(const rows& r, offset j) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline))
        ->decltype(auto) {
      PLEAT_INLINE_CALL return kernel_(inner_cell<T, D, Two, Row>{
          std::get<I>(r).from + j, own<Row>(std::get<I>(r)) + j, std::get<I>(r).from_stride}...);
    }
    (indices{});
  }
  template <int Row, class C> [[gnu::always_inline]] static C* own(const row<C>& r) {
    if constexpr (Row == 0)
      return r.to;
    else
      return r.to + Row * r.to_stride[D - 2];
  }
  template <int Row, class Value>
  [[gnu::always_inline]] static void store(const rows& r, offset j, const Value& value) {
    if constexpr (fields == 1) {
      auto& only = std::get<0>(r);
      own<Row>(only)[j] = static_cast<std::tuple_element_t<0, std::tuple<T...>>>(value);
    } else {
      static_assert(std::tuple_size_v<Value> == fields,
                    "pleat::stencil: a kernel of several fields returns a tuple of their values");
      [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
        ((own<Row>(std::get<I>(r))[j] = static_cast<T>(std::get<I>(value))), ...);
      }
      (indices{});
    }
  }

  const Kernel& kernel_;
};

#undef PLEAT_INLINE_CALL

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
    stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
      std::get<i>(at).start(std::get<i>(r).from + j, std::get<i>(r).from_stride);
    });
  }
  /// Updates the cells from j on, which are in a window, and moves the window on.
  template <int Rows, bool Last>
  [[gnu::always_inline]] void window_at(const rows& r, windows<Rows>& at, offset j) const {
    std::tuple<neighbour_vectors<T, D, Rows, Count>...> all;
    stencils::for_each_field<sizeof...(T)>([&](auto i) __attribute__((always_inline)) {
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

  const Cells& cells_;
};

}  // namespace pleat::detail::stencils
