// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/cells.hpp>
#include <pleat/oblivious/grid_view.hpp>

namespace pleat::detail::stencils {

/// Boundaries and size of a grid.
template <std::size_t D> struct grid_ends {
  std::array<boundary, D> edges;
  std::array<offset, D> size;

  /// Tells whether cell x of dimension i is updated and has a neighbour beyond the grid.
  [[nodiscard]] bool at(std::size_t i, offset x) const noexcept {
    return edges[i] != boundary::fixed && (x == 0 || x == size[i] - 1);
  }
  /// Index in the grid for x, which is beyond the grid by less than its length.
  [[nodiscard]] offset inside(std::size_t i, offset x) const noexcept {
    return x < 0 ? x + size[i] : x >= size[i] ? x - size[i] : x;
  }
  /// Offsets of the neighbours of cell x in dimension i, whose cells are `stride` apart.
  [[nodiscard]] neighbours ways(std::size_t i, offset x, offset stride) const noexcept {
    const offset round =
        edges[i] == boundary::periodic ? (size[i] - 1) * stride : 0;  // reflecting: stays
    return {x > 0 ? -stride : round, 0, x < size[i] - 1 ? stride : -round};
  }
};

}  // namespace pleat::detail::stencils
