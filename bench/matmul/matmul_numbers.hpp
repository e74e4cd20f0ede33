// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/runtime/machine.hpp>

#include "tool/npy.hpp"

namespace pleat::bench {

/// `plus_times, min_plus, max_plus, or_and`.
[[nodiscard]] std::string semiring_names();

/// Throws: pleat::usage_error for an unknown semiring; pleat::error, with the NumPy call that
/// helps, for matrices of different types, types that the semiring has no products of, and sizes
/// that do not fit.
void check_matrices(const std::string& semiring, const npy_array& a, const std::string& name_a,
                    const npy_array& b, const std::string& name_b);

/// C ← A·B. Requires that check_matrices found nothing wrong. Integers wrap over plus_times, as
/// NumPy's do; over min_plus and max_plus they have no infinity but half the greatest number.
run_report multiply_matrices(machine& on, const std::string& semiring, const npy_array& a,
                             const npy_array& b, npy_array& c);

}  // namespace pleat::bench
