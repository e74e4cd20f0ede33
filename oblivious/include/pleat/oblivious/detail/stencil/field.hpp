// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/oblivious/detail/program/strided_box.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// A field at two successive time levels. Level 0 is the user's.
template <class T, std::size_t D> struct field {
  using cell = T;
  std::array<grid_view<T, D>, 2> level;
};

/// A grid_view of cells whose type is left open. Strides are in cells.
template <std::size_t D> struct untyped_grid {
  std::byte* data;
  std::array<std::size_t, D> size;
  std::array<std::size_t, D> stride;
  std::size_t cell_bytes;

  template <class T>
  requires(!std::is_const_v<T>) untyped_grid(
      const grid_view<T, D>& grid)  // NOLINT(google-explicit-constructor): the same memory
      : data(reinterpret_cast<std::byte*>(grid.data)),
        size(grid.size),
        stride(grid.stride),
        cell_bytes(sizeof(T)) {
    static_assert(std::is_trivially_copyable_v<T>, "pleat::stencil: cells are copied byte by byte");
  }

  [[nodiscard]] std::size_t cells() const noexcept {
    std::size_t count = 1;
    for (const std::size_t s : size) count *= s;
    return count;
  }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    strided_box box(data, cell_bytes);
    for (std::size_t i = 0; i < D; ++i)
      box.along(size[i], static_cast<std::ptrdiff_t>(stride[i] * cell_bytes));
    return box;
  }
};

/// Cells to send or received cells: rows of bytes, `stride` cells apart.
struct untyped_rows {
  const std::byte* data;
  std::size_t rows, columns, stride;
};

/// A field of cells whose type is left open. Lent cells keep their type, which the receiver's view
/// needs.
template <std::size_t D> struct untyped_field {
  std::array<untyped_grid<D>, 2> level;
  /// Lends VP `to` rows of a grid: writable if VP `to` then owns them, in the same memory.
  void (*lend)(vp& me, std::size_t to, const untyped_rows& rows, bool writable);
  /// Returns the rows that a message has lent.
  untyped_rows (*lent)(const message& from);

  template <class T>
  explicit untyped_field(const field<T, D>& of)
      : level{untyped_grid<D>(of.level[0]), untyped_grid<D>(of.level[1])},
        lend([](vp& me, std::size_t to, const untyped_rows& part, bool writable) {
          const strided_view<const T> view(reinterpret_cast<const T*>(part.data), part.rows,
                                           part.columns, part.stride);
          if (writable)
            me.lend(to, strided_view<T>(const_cast<T*>(view.data), view.rows, view.columns,
                                        view.stride));
          else
            me.lend(to, view);
        }),
        lent([](const message& from) {
          const auto view = from.view<const T>();
          return untyped_rows{reinterpret_cast<const std::byte*>(view.data), view.rows,
                              view.columns, view.stride};
        }) {}
};

/// Throws usage_error if two cells have the same address, or the size is not `size`.
template <std::size_t D>
PLEAT_API void check_grid(const untyped_grid<D>& grid, const std::array<std::size_t, D>& size);

/// Throws usage_error if two of the grids have a cell in common.
template <std::size_t D> PLEAT_API void check_apart(std::span<const untyped_grid<D>> grids);

}  // namespace pleat::detail::stencils
