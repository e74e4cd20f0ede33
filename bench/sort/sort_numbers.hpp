// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

#include "tool/npy.hpp"

namespace pleat::bench {

/// Sorts the array in place in NumPy's order: ascending, NaN last; complex numbers by real part,
/// then imaginary part, those with a NaN last: first R + nan j, then nan + R j, then nan + nan j.
///
/// Among equal numbers −0.0 and +0.0 may stand in any order for complex and long double; for the
/// other types −0.0 stands first.
run_report sort_numbers(machine& on, npy_array& array);

/// Writes to `indices`, 8-byte integers, as many as the array has numbers, which of them comes
/// where in that order: equal ones, to which all zeros and all NaNs of a class belong, as they
/// stand.
run_report argsort_numbers(machine& on, const npy_array& array, npy_array& indices);

}  // namespace pleat::bench
