// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arrays/matmul_numbers.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

using arrays::semiring_kind;

/// `plus_times, min_plus, max_plus, max_min, or_and`.
[[nodiscard]] std::string semiring_names();
/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] semiring_kind parse_semiring(const std::string& name);

/// Throws: pleat::usage_error for an unknown semiring; pleat::error, with the NumPy call that
/// helps, for matrices of different types, types that the semiring has no products of, and sizes
/// that do not fit.
void check_matrices(const std::string& semiring, const npy_contents& a, const std::string& name_a,
                    const npy_contents& b, const std::string& name_b);

}  // namespace pleat::bench
