// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/run_report.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// sort_row(row) for each row, one after the other. Returns what the last one did.
template <class F>
run_report each_row(const typed_array& array, const sort_options& options, const F& sort_row) {
  if (options.vps && array.rows() > 1)
    throw usage_error("sort: vps is of a single row, and there are " +
                      std::to_string(array.rows()) + "; leave it out");
  run_report report;
  for (std::size_t row = 0; row < array.rows(); ++row) report = sort_row(row);
  return report;
}

}  // namespace pleat::arrays
