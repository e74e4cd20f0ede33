// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/detail/stencil/window.hpp>

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

}  // namespace pleat::detail::stencils
