// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pleat::bench {

/// Measures as measure_case of the tool, for Pleat and its rivals: a sample of each in every round.
/// Returns: the exit code. Throws: pleat::usage_error for what is no request.
int measure_rivals_case(const std::string& request);

}  // namespace pleat::bench
