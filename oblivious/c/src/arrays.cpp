// SPDX-License-Identifier: Apache-2.0
#include "arrays/matmul_numbers.hpp"
#include "arrays/stencil_numbers.hpp"
#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

namespace {

using pleat::arrays::typed_matrix;

/// Matrix of rows × columns numbers in memory.
typed_matrix matrix_of(const char* name, const void* data, std::size_t rows, std::size_t columns,
                       std::size_t stride, pleat::matrix_op op = pleat::matrix_op::none) {
  const char* const caller = "pleat_matmul";
  if (stride < columns)
    throw pleat::usage_error(std::string(caller) + ": ld" + name + " is " + std::to_string(stride) +
                             ", and a row has " + std::to_string(columns) + " numbers");
  static_cast<void>(product_of(caller, {rows, stride}, 16));
  require(caller, name, data, rows * columns, 1);
  return {static_cast<std::byte*>(const_cast<void*>(data)), rows, columns, stride, op};
}

/// Factor of rows × columns numbers after `op`.
typed_matrix factor_of(const char* name, const void* data, std::size_t rows, std::size_t columns,
                       std::size_t stride, int form) {
  const auto op = choice("pleat_matmul", "a form", form, pleat::matrix_op::adjoint);
  return op == pleat::matrix_op::none ? matrix_of(name, data, rows, columns, stride)
                                      : matrix_of(name, data, columns, rows, stride, op);
}

}  // namespace

int pleat_matmul(pleat_machine* on, pleat_type type, int semiring, size_t rows, size_t inner,
                 size_t columns, int form_a, const void* a, size_t lda, int form_b, const void* b,
                 size_t ldb, int accumulate, void* c, size_t ldc) {
  return guarded("pleat_matmul", {rows, inner, columns, lda, ldb, ldc}, [&](const char* caller) {
    const auto number = number_type_of(caller, type);
    const auto ring = choice(caller, "semiring", semiring, pleat::arrays::semiring_kind::or_and);
    if (!pleat::arrays::has_products(ring, number))
      throw pleat::usage_error(
          std::string(caller) +
          ": this semiring has no products of such numbers; pleat.h lists them");
    const typed_matrix first = factor_of("a", a, rows, inner, lda, form_a);
    const typed_matrix second = factor_of("b", b, inner, columns, ldb, form_b);
    const typed_matrix result = matrix_of("c", c, rows, columns, ldc);
    const auto here = machine_of(on);
    pleat::arrays::multiply_matrices(*here, ring, number, first, second, result, {},
                                     accumulate != 0);
  });
}

int pleat_stencil(pleat_machine* on, pleat_type type, size_t dimensions, const size_t* shape,
                  const void* coefficients, const int* boundaries, size_t steps, void* cells) {
  return guarded("pleat_stencil", {dimensions, steps}, [&](const char* caller) {
    const auto number =
        number_type_of(caller, type, {PLEAT_F32, PLEAT_F64}, "PLEAT_F32 or PLEAT_F64");
    if (dimensions == 0 || dimensions > 3)
      throw pleat::usage_error(std::string(caller) + ": a grid of " + std::to_string(dimensions) +
                               " dimensions; it takes 1 to 3");
    const auto sizes = counts_of(caller, "shape", shape, dimensions);
    require(caller, "coefficients", coefficients);
    pleat::stencil_options options;
    options.edges.given = dimensions;
    std::size_t all = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      all = product_of(caller, {all, sizes[i]}, number.bytes);
      if (boundaries != nullptr)
        options.edges.of[i] =
            choice(caller, "a boundary", boundaries[i], pleat::boundary::reflecting);
    }
    require(caller, "cells", cells, all, number.bytes);
    if (all == 0) return;
    const std::vector<std::size_t> threes(dimensions, 3);
    const auto here = machine_of(on);
    pleat::arrays::step_weighted_cells(*here, array_of(number, threes, coefficients), steps,
                                       array_of(number, sizes, cells), options);
  });
}
