// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/vectors.hpp>

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

}  // namespace pleat::detail::stencils
