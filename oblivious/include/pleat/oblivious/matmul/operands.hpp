// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <pleat/oblivious/matmul/kernels.hpp>
#include <pleat/oblivious/matmul/semiring.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat {

/// How a factor is taken.
enum class matrix_op {
  none,       ///< as it lies in memory
  transpose,  ///< rows for columns
  adjoint     ///< transposed, and of complex numbers the conjugates
};

}  // namespace pleat

namespace pleat::detail::matmul {

/// op(view), where it lies.
template <class T> struct operand {
  factor<T> elements;
  std::size_t rows, columns;
  bool transposed;

  operand(const strided_view<const T>& view, matrix_op op)
      : elements{view.data, view.stride, 1, op == matrix_op::adjoint},
        rows(view.rows),
        columns(view.columns),
        transposed(op != matrix_op::none) {
    if (!transposed) return;
    std::swap(rows, columns);
    elements.row_step = 1;
    elements.column_step = view.stride;
  }
  /// r × c elements from `corner` on, as they lie in memory.
  [[nodiscard]] strided_view<const T> window(const T* corner, std::size_t r, std::size_t c) const {
    return transposed ? strided_view<const T>(corner, c, r, elements.column_step)
                      : strided_view<const T>(corner, r, c, elements.row_step);
  }
};

inline std::string sizes(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

template <class T>
void check_view(const char* caller, const char* name, const strided_view<T>& view) {
  if (view.empty()) return;
  if (view.rows > 1 && view.stride < view.columns)
    throw usage_error(std::string(caller) + ": the rows of " + name + " have " +
                      std::to_string(view.columns) + " elements and begin every " +
                      std::to_string(view.stride) +
                      ": a leading dimension is no less than the number of columns");
  if (view.data == nullptr)
    throw usage_error(std::string(caller) + ": " + name + " is " + sizes(view.rows, view.columns) +
                      " and points nowhere: give it memory, or 0 rows");
}

/// Do two windows have an element in common? Exact where their rows are equally far apart;
/// windows of different strides overlap if one begins before the other ends.
template <class T, class U> bool overlap(const strided_view<T>& x, const strided_view<U>& y) {
  if (x.empty() || y.empty()) return false;
  const auto begin = [](const auto& v) { return reinterpret_cast<std::uintptr_t>(v.data); };
  const auto end = [](const auto& v) {
    return reinterpret_cast<std::uintptr_t>(v.data + (v.rows - 1) * v.stride + v.columns);
  };
  if (begin(x) >= end(y) || begin(y) >= end(x)) return false;
  const auto s = static_cast<std::ptrdiff_t>(x.rows == 1 ? y.stride : x.stride);
  const bool alike = (y.rows == 1 || x.rows == 1 || x.stride == y.stride) && sizeof(T) == sizeof(U);
  const auto apart = static_cast<std::ptrdiff_t>(begin(y) - begin(x));
  if (!alike || s <= 0 || apart % static_cast<std::ptrdiff_t>(sizeof(T)) != 0) return true;
  // Element (i, j) of x is element (i', j') of y where (i − i')·s + j − j' = d.
  const std::ptrdiff_t d = apart / static_cast<std::ptrdiff_t>(sizeof(T));
  const auto divided_down = [s](std::ptrdiff_t n) { return n / s - (n % s < 0 ? 1 : 0); };
  const auto extent = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const std::ptrdiff_t least = -divided_down(extent(x.columns) - 1 - d);
  const std::ptrdiff_t most = divided_down(d + extent(y.columns) - 1);
  return std::max(least, 1 - extent(y.rows)) <= std::min(most, extent(x.rows) - 1);
}

/// Throws usage_error for what cannot be multiplied.
template <class T, class C>
void check_product(const char* caller, const strided_view<const T>& a, matrix_op op_a,
                   const strided_view<const T>& b, matrix_op op_b, const strided_view<C>& c) {
  check_view(caller, "a", a);
  check_view(caller, "b", b);
  check_view(caller, "c", c);
  const operand<T> left(a, op_a);
  const operand<T> right(b, op_b);
  const std::string who = std::string(caller) + ": op(a) is " + sizes(left.rows, left.columns) +
                          " and op(b) is " + sizes(right.rows, right.columns);
  if (left.columns != right.rows)
    throw usage_error(who + ": as many columns there as rows here are needed");
  if (c.rows != left.rows || c.columns != right.columns)
    throw usage_error(who + ": c must be " + sizes(left.rows, right.columns) + ", and is " +
                      sizes(c.rows, c.columns));
  if (overlap(a, c) || overlap(b, c))
    throw usage_error(std::string(caller) + ": c overlaps " + (overlap(a, c) ? "a" : "b") +
                      ", which is read while c is written: give it memory of its own");
}

}  // namespace pleat::detail::matmul
