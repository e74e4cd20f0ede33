// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// Sorts each row of the array in place in NumPy's order: ascending, NaN last; complex numbers by
/// real part, then imaginary part, those with a NaN last: first R + nan j, then nan + R j, then
/// nan + nan j. Long rows are sorted one after the other by all processors, short ones side by
/// side.
///
/// Among equal numbers −0.0 and +0.0 may stand in any order for complex and long double; for the
/// other types −0.0 stands first.
///
/// Returns: what the sort of the last long row did. Throws: as pleat::sort; usage_error for
/// `options.vps` where there is more than one row.
run_report sort_numbers(machine& on, const typed_array& array, const sort_options& options = {});

/// Writes to `indices`, 8-byte integers of the same shape, which number of the row comes where in
/// that order: equal ones, to which all zeros and all NaNs of a class belong, as they stand.
/// Returns and throws as sort_numbers; the rows are sorted one after the other.
run_report argsort_numbers(machine& on, const typed_array& array, const typed_array& indices,
                           const sort_options& options = {});

}  // namespace pleat::arrays
