// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>

namespace pleat::detail::stencils {

/// Cells that a VP holds and another one needs: the intersection of two boxes.
template <std::size_t D> struct transfer {
  std::size_t to;  ///< a VP
  box<D> cells;
  /// Of the two time levels the one that is read at steps with this parity; or both, of one cell.
  unsigned level;
  static constexpr unsigned both = 2;
};

}  // namespace pleat::detail::stencils
