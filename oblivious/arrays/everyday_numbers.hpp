// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// Tells whether sum_along_rows takes such numbers: integers of 8 bytes, float and double, and
/// complex ones of them.
[[nodiscard]] bool has_sums(const number_type& type);

/// Writes the sum of all numbers of a row up to each, rows one after the other. Integers wrap.
/// Requires: has_sums; two arrays of one type and shape, the same or apart. Returns: what the
/// last sum did. Throws: as pleat::inclusive_scan.
run_report sum_along_rows(machine& on, const typed_array& array, const typed_array& sums);

/// Tells whether best_of_rows takes such numbers: integers of 8 bytes, float and double.
[[nodiscard]] bool is_ranked(const number_type& type);

/// Writes the indices of the greatest numbers of each row, or of the least, the first of them
/// first: as many as a row of `indices` has; equal ones in their order. NaN counts as the greatest.
/// Requires: is_ranked; as many rows of `indices` as of the array, and no longer ones. Throws: as
/// pleat::top_k.
run_report best_of_rows(machine& on, const typed_array& array, bool greatest,
                        const typed_array& indices);

/// Writes the sum of each row. With `exactly`, rows are floating-point numbers of 4 or 8 bytes and
/// sums are doubles: rounded once (pleat::exact_sum). Else has_sums, and sums are of the same type.
/// Requires: a sum for each row. Throws: as pleat::reduce.
run_report total_of_rows(machine& on, const typed_array& array, bool exactly,
                         const typed_array& sums);

}  // namespace pleat::arrays
