// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include <pleat/oblivious/detail/matmul/program.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

inline constexpr std::array<std::string_view, 5> semiring_names{"plus_times", "min_plus",
                                                                "max_plus", "max_min", "or_and"};
enum class semiring_kind { plus_times, min_plus, max_plus, max_min, or_and };

/// A matrix of numbers whose type is known at run time; `stride` numbers from row to row.
struct typed_matrix {
  std::byte* data;
  std::size_t rows, columns, stride;
  matrix_op op = matrix_op::none;  ///< of a factor

  /// The two dimensions of an array.
  [[nodiscard]] static typed_matrix of(const typed_array& array) noexcept {
    return {array.data, array.shape[0], array.shape[1], array.shape[1]};
  }
};

/// Tells whether there are products of such numbers. plus_times: all but bool, float16 and complex
/// long double; or_and: bool and integers; the others: integers and floating point but float16,
/// max_plus only signed ones.
[[nodiscard]] bool has_products(semiring_kind semiring, const number_type& type);

/// C ← A·B of matrices of one type. Integers wrap over plus_times, as NumPy's do; over min_plus and
/// max_plus they have no infinity but half the greatest number. If it `accumulates`, C ← A·B + C in
/// the sense of the semiring.
/// Requires: has_products(semiring, type). Returns and throws as pleat::matmul.
run_report multiply_matrices(machine& on, semiring_kind semiring, const number_type& type,
                             const typed_matrix& a, const typed_matrix& b, const typed_matrix& c,
                             std::optional<std::size_t> vps = {}, bool accumulates = false);

/// Tells whether multiply_with_places takes such numbers: integers, float and double of 4 or 8
/// bytes.
[[nodiscard]] bool has_places(const number_type& type);

/// C ← A·B over min_plus, and where the minima are: `places` has signed integers as wide as the
/// numbers, −1 where there is no path. Requires: has_places(type). Returns and throws as
/// pleat::matmul_argmin.
run_report multiply_with_places(machine& on, const number_type& type, const typed_matrix& a,
                                const typed_matrix& b, const typed_matrix& c,
                                const typed_matrix& places, std::optional<std::size_t> vps = {});

/// Calls multiply(product) for a product of such numbers with its result at `c`, whose size in
/// bytes is known. Requires: has_products(semiring, type).
void with_product(semiring_kind semiring, const number_type& type, const typed_matrix& c,
                  const std::function<void(detail::matmul::any_product&)>& multiply);

}  // namespace pleat::arrays
