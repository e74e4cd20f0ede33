// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// Non-owning view of the cells of a grid of one, two or three dimensions in row-major order: cells
/// that differ by one in the last index are adjacent. Cell (x, y, z) lies x·stride[0] + y·stride[1]
/// + z·stride[2] cells behind `data`. The last stride is 1.
template <class T, std::size_t D>
requires(1 <= D && D <= 3) struct grid_view {
  T* data = nullptr;
  std::array<std::size_t, D> size{};    ///< cells in each dimension
  std::array<std::size_t, D> stride{};  ///< cells from one index to the next, in each dimension

  constexpr grid_view() = default;
  /// Views rows that follow each other without a gap.
  constexpr grid_view(T* first, const std::array<std::size_t, D>& sizes)
      : data(first), size(sizes) {
    std::size_t step = 1;
    for (std::size_t i = D; i-- > 0; step *= sizes[i]) stride[i] = step;
  }
  /// Views rows with the given strides, such as a part of a larger grid.
  constexpr grid_view(T* first, const std::array<std::size_t, D>& sizes,
                      const std::array<std::size_t, D>& strides)
      : data(first), size(sizes), stride(strides) {}
  constexpr grid_view(strided_view<T> rows)  // NOLINT(google-explicit-constructor): the same thing
      requires(D == 2)
      : data(rows.data), size{rows.rows, rows.columns}, stride{rows.stride, 1} {}
  /// Views the elements of a std::mdspan or its like. Throws: usage_error if elements along the
  /// last dimension are not adjacent, or if another stride is less than 1.
  template <multidimensional_span M>
  requires(M::rank() == D && std::convertible_to<detail::span_element<M>*, T*>)
      grid_view(const M& m)  // NOLINT(google-explicit-constructor): the same thing
      : data(m.data_handle()) {
    for (std::size_t i = 0; i < D; ++i) {
      size[i] = static_cast<std::size_t>(m.extent(i));
      stride[i] = detail::step_in_rows(m, i, i + 1 == D);
    }
  }

  [[nodiscard]] constexpr std::size_t cells() const noexcept {
    std::size_t product = 1;
    for (const std::size_t n : size) product *= n;
    return product;
  }
  /// Requires indices within the sizes.
  template <std::convertible_to<std::size_t>... Index>
  requires(sizeof...(Index) == D) [[nodiscard]] constexpr T& operator()(Index... index) const {
    const std::array<std::size_t, D> at{static_cast<std::size_t>(index)...};
    std::size_t offset = 0;
    for (std::size_t i = 0; i < D; ++i) {
      assert(at[i] < size[i]);
      offset += at[i] * stride[i];
    }
    return data[offset];
  }
};

template <multidimensional_span M>
grid_view(const M&) -> grid_view<detail::span_element<M>, M::rank()>;

/// Boundary condition: the value that a cell at the end of a dimension reads beyond the grid.
enum class boundary {
  fixed,       ///< nothing: the outermost cells keep their values
  periodic,    ///< the cell at the other end
  reflecting,  ///< the cell itself, as in a mirror on the border: nothing flows out
};

/// One boundary for all dimensions, or one for each.
struct boundaries {
  std::array<boundary, 3> of;
  std::size_t given;

  constexpr boundaries(boundary all)  // NOLINT(google-explicit-constructor): one for all
      : of{all, all, all}, given(1) {}
  constexpr boundaries(boundary rows, boundary columns) : of{rows, columns, columns}, given(2) {}
  constexpr boundaries(boundary x, boundary y, boundary z) : of{x, y, z}, given(3) {}
};

}  // namespace pleat
