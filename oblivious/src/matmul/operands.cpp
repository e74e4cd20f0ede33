// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include <pleat/oblivious/detail/matmul/operands.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail::matmul {

operand::operand(const window& matrix, matrix_op op)
    : data(matrix.data),
      element_bytes(matrix.element_bytes),
      row_step(matrix.stride),
      column_step(1),
      rows(matrix.rows),
      columns(matrix.columns),
      transposed(op != matrix_op::none),
      conjugate(op == matrix_op::adjoint) {
  if (!transposed) return;
  std::swap(rows, columns);
  std::swap(row_step, column_step);
}

std::string sizes(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

void check_view(const char* caller, const char* name, const window& view) {
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

bool overlap(const window& x, const window& y) {
  if (x.empty() || y.empty()) return false;
  const auto begin = [](const window& w) { return reinterpret_cast<std::uintptr_t>(w.data); };
  const auto end = [&begin](const window& w) {
    return begin(w) + ((w.rows - 1) * w.stride + w.columns) * w.element_bytes;
  };
  if (begin(x) >= end(y) || begin(y) >= end(x)) return false;
  const auto s = static_cast<std::ptrdiff_t>(x.rows == 1 ? y.stride : x.stride);
  const bool alike =
      (y.rows == 1 || x.rows == 1 || x.stride == y.stride) && x.element_bytes == y.element_bytes;
  const auto bytes = static_cast<std::ptrdiff_t>(x.element_bytes);
  const auto apart = static_cast<std::ptrdiff_t>(begin(y) - begin(x));
  if (!alike || s <= 0 || apart % bytes != 0) return true;
  // Element (i, j) of x is element (i', j') of y where (i − i')·s + j − j' = d.
  const std::ptrdiff_t d = apart / bytes;
  const auto divided_down = [s](std::ptrdiff_t n) { return n / s - (n % s < 0 ? 1 : 0); };
  const auto extent = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const std::ptrdiff_t least = -divided_down(extent(x.columns) - 1 - d);
  const std::ptrdiff_t most = divided_down(d + extent(y.columns) - 1);
  return std::max(least, 1 - extent(y.rows)) <= std::min(most, extent(x.rows) - 1);
}

void check_product(const char* caller, const window& a, matrix_op op_a, const window& b,
                   matrix_op op_b, const window& c) {
  check_view(caller, "a", a);
  check_view(caller, "b", b);
  check_view(caller, "c", c);
  const operand left(a, op_a);
  const operand right(b, op_b);
  const std::string who = std::string(caller) + ": op(a) is " + sizes(left.rows, left.columns) +
                          " and op(b) is " + sizes(right.rows, right.columns);
  if (left.columns != right.rows)
    throw usage_error(who + ": op(a) needs as many columns as op(b) has rows");
  if (c.rows != left.rows || c.columns != right.columns)
    throw usage_error(who + ": c must be " + sizes(left.rows, right.columns) + ", and is " +
                      sizes(c.rows, c.columns));
  if (overlap(a, c) || overlap(b, c))
    throw usage_error(std::string(caller) + ": c overlaps " + (overlap(a, c) ? "a" : "b") +
                      ", which is read while c is written: give it memory of its own");
}

}  // namespace pleat::detail::matmul
