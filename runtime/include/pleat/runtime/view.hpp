// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/channels/refers.hpp>

namespace pleat {

/// Non-owning view of rows × columns elements. Row i starts `i * stride` elements after `data`; a
/// contiguous range is one row. A view with `columns == 1` and stride s has every s-th element of
/// an array.
template <class T> struct strided_view {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< elements from the start of one row to the start of the next

  constexpr strided_view() = default;
  constexpr strided_view(T* first, std::size_t rows_, std::size_t columns_, std::size_t stride_)
      : data(first), rows(rows_), columns(columns_), stride(stride_) {}
  constexpr strided_view(std::span<T> values)  // NOLINT(google-explicit-constructor): a view of it
      : data(values.data()), rows(1), columns(values.size()), stride(values.size()) {}
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>) constexpr strided_view(
      strided_view<U> v)  // NOLINT(google-explicit-constructor): adds const
      : data(v.data), rows(v.rows), columns(v.columns), stride(v.stride) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return rows * columns; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  /// Requires index < rows.
  [[nodiscard]] constexpr std::span<T> row(std::size_t index) const {
    assert(index < rows);
    return {data + index * stride, columns};
  }
  /// Requires row < rows and column < columns.
  [[nodiscard]] constexpr T& operator()(std::size_t row, std::size_t column) const {
    assert(row < rows && column < columns);
    return data[row * stride + column];
  }
};

template <class T> inline constexpr bool detail::refers<strided_view<T>> = true;

}  // namespace pleat
