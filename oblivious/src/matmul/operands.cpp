// SPDX-License-Identifier: Apache-2.0
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

void check_sizes(const char* caller, const factors& of, std::size_t rows, std::size_t columns) {
  if (of.a.columns == of.b.rows && rows == of.a.rows && columns == of.b.columns) return;
  throw usage_error(std::string(caller) + ": op(a) is " + sizes(of.a.rows, of.a.columns) +
                    " and op(b) is " + sizes(of.b.rows, of.b.columns) +
                    (of.a.columns != of.b.rows ? ": op(a) needs as many columns as op(b) has rows"
                                               : ": c must be " + sizes(of.a.rows, of.b.columns) +
                                                     ", and is " + sizes(rows, columns)));
}

void check_product(const char* caller, const window& a, matrix_op op_a, const window& b,
                   matrix_op op_b, const window& c) {
  check_view(caller, "a", a);
  check_view(caller, "b", b);
  check_view(caller, "c", c);
  check_sizes(caller, {operand(a, op_a), operand(b, op_b)}, c.rows, c.columns);
  if (overlap(a, c) || overlap(b, c))
    throw usage_error(std::string(caller) + ": c overlaps " + (overlap(a, c) ? "a" : "b") +
                      ", which is read while c is written: give it memory of its own");
}

}  // namespace pleat::detail::matmul
