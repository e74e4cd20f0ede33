// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sweep_file.hpp"

namespace pleat::bench {

/// Writes the sweep for a terminal. A series is the cases of Pleat that differ in n and processors
/// only; for each: a table of times, speed-up beside the ideal as bars for the largest n, and time
/// against n as bars on a logarithmic scale for the most processors. Then the rivals' times over
/// Pleat's, and the cases that failed.
///
/// Requires: sweep.has_keys().
[[nodiscard]] std::string scaling_text(const sweep_file& sweep);

}  // namespace pleat::bench
