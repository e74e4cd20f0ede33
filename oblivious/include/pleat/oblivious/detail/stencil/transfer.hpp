// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// Cells that a VP holds and another one needs: the intersection of two boxes.
template <std::size_t D> struct transfer {
  std::size_t to;  ///< rank of the receiver
  box<D> cells;
  /// Time level, which is read at steps of this parity; or `both`, for one cell.
  unsigned level;
  /// Offsets from `cells` at which sender and receiver keep the cells, if they have no common
  /// memory: their indices continue beyond the ends of a ring.
  point<D> held_off{}, needed_off{};
  static constexpr unsigned both = 2;
};

/// A grid whose first cell counts as `first`.
template <std::size_t D> struct placed_grid {
  untyped_grid<D> grid;
  point<D> first{};

  [[nodiscard]] std::byte* at(const point<D>& x) const noexcept {
    offset cells = 0;
    for (std::size_t i = 0; i < D; ++i)
      cells += (x[i] - first[i]) * static_cast<offset>(grid.stride[i]);
    return grid.data + cells * static_cast<offset>(grid.cell_bytes);
  }
};

/// Lends VP `to` a box of cells of a level of a field.
template <std::size_t D>
PLEAT_API void lend_cells(vp& me, std::size_t to, const untyped_field<D>& of,
                          const placed_grid<D>& from, const box<D>& cells, bool writable);
/// Takes the next messages, which have lent a box of that many cells, and copies the cells into
/// `into`, unless they are there already.
template <std::size_t D>
PLEAT_API void take_cells(vp& me, const untyped_field<D>& of, const placed_grid<D>& into,
                          const box<D>& cells);
/// Takes these messages and copies the cells to `into`, one after the other. Returns the end.
template <std::size_t D>
PLEAT_API std::byte* take_cells(vp& me, const untyped_field<D>& of, std::byte* into,
                                const box<D>& cells);
/// Copies cells between grids.
template <std::size_t D>
PLEAT_API void copy_cells(const placed_grid<D>& from, const placed_grid<D>& into,
                          const box<D>& cells);
/// Copies cells that are stored one after the other. Returns their end.
template <std::size_t D>
PLEAT_API const std::byte* copy_cells(const std::byte* from, const placed_grid<D>& into,
                                      const box<D>& cells);

}  // namespace pleat::detail::stencils
