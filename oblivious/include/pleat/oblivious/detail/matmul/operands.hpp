// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <pleat/oblivious/detail/matmul/kernels.hpp>
#include <pleat/oblivious/detail/program/strided_box.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::matmul {

/// View of strided elements of any type, as bytes.
struct window {
  std::byte* data;
  std::size_t rows, columns, stride;
  std::size_t element_bytes;

  window(std::byte* first, std::size_t rows_, std::size_t columns_, std::size_t stride_,
         std::size_t bytes) noexcept
      : data(first), rows(rows_), columns(columns_), stride(stride_), element_bytes(bytes) {}
  template <class T>
  window(const strided_view<T>& view)  // NOLINT(google-explicit-constructor): the same memory
      : data(reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(view.data))),
        rows(view.rows),
        columns(view.columns),
        stride(view.stride),
        element_bytes(sizeof(T)) {}

  [[nodiscard]] bool empty() const noexcept { return rows == 0 || columns == 0; }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    return strided_box(data, element_bytes)
        .along(rows, static_cast<std::ptrdiff_t>(stride * element_bytes))
        .along(columns, static_cast<std::ptrdiff_t>(element_bytes));
  }
};

/// op(matrix), where it lies. Steps are in elements.
struct PLEAT_API operand {
  const std::byte* data;
  std::size_t element_bytes;
  std::size_t row_step, column_step;
  std::size_t rows, columns;
  bool transposed;
  bool conjugate;

  operand(const window& matrix, matrix_op op);

  /// Element (i, j) of the part whose first element is `corner`; null stays null, of a matrix
  /// without elements.
  [[nodiscard]] const std::byte* at(const std::byte* corner, std::size_t i,
                                    std::size_t j) const noexcept {
    if (corner == nullptr) return corner;
    return corner + (i * row_step + j * column_step) * element_bytes;
  }
  /// Part that begins at `corner`, for a kernel.
  template <class T> [[nodiscard]] factor<T> as_factor(const std::byte* corner) const noexcept {
    return {reinterpret_cast<const T*>(corner), row_step, column_step, conjugate};
  }
  /// r × c elements from `corner` on, as they lie in memory.
  template <class T>
  [[nodiscard]] strided_view<const T> view(const std::byte* corner, std::size_t r,
                                           std::size_t c) const noexcept {
    const T* const first = reinterpret_cast<const T*>(corner);
    return transposed ? strided_view<const T>(first, c, r, column_step)
                      : strided_view<const T>(first, r, c, row_step);
  }
};

/// Factors of a product, op(A) and op(B).
struct factors {
  operand a, b;
};

/// Returns sizes as text, such as "2 x 3".
[[nodiscard]] PLEAT_API std::string sizes(std::size_t rows, std::size_t columns);

/// Throws usage_error for rows that overlap and for elements without memory.
PLEAT_API void check_view(const char* caller, const char* name, const window& view);

/// Throws usage_error, unless a product of these factors has so many rows and columns.
void check_sizes(const char* caller, const factors& of, std::size_t rows, std::size_t columns);
/// Throws usage_error for what cannot be multiplied.
PLEAT_API void check_product(const char* caller, const window& a, matrix_op op_a, const window& b,
                             matrix_op op_b, const window& c);

}  // namespace pleat::detail::matmul
